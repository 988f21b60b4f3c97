import type { SampleChange } from './sample-change.ts';

const root = 'src/main/java/com/acme';

export const javaChange: SampleChange = {
  language: 'Java',
  files: {
    [`${root}/orders/Order.java`]: `package com.acme.orders;

import java.util.List;

public class Order {
  private final String country;
  private final List<Line> lines;

  public Order(String country, List<Line> lines) {
    this.country = country;
    this.lines = lines;
  }

  public String country() {
    return country;
  }

  public int subtotal() {
    return lines.stream().mapToInt(line -> line.price() * line.quantity()).sum();
  }
}
`,
    [`${root}/orders/Line.java`]: 'package com.acme.orders;\n\npublic record Line(int price, int quantity) {}\n',
    [`${root}/orders/Checkout.java`]: `package com.acme.orders;

import com.acme.tax.TaxTable;

public class Checkout {
  private final TaxTable taxes;
  private final Store store;

  public Checkout(TaxTable taxes, Store store) {
    this.taxes = taxes;
    this.store = store;
  }

  /** What a customer pays. */
  public int total(Order order) {
    return order.subtotal();
  }
}
`,
    [`${root}/orders/Store.java`]: 'package com.acme.orders;\n\ninterface Store {\n  void saveTotal(int total);\n}\n',
    [`${root}/orders/Coupons.java`]: `package com.acme.orders;

final class Coupons {
  static int discountOf(Order order, int amount) {
    return amount / 10;
  }
}
`,
    [`${root}/tax/TaxTable.java`]: `package com.acme.tax;

public class TaxTable {
  public int rateOf(String country) {
    return country.length();
  }
}
`,
    [`${root}/api/Routes.java`]: `package com.acme.api;

import com.acme.orders.Checkout;
import com.acme.orders.Order;

class Routes {
  private final Checkout checkout = new Checkout(null, null);

  int pay(Order order) {
    return checkout.total(order);
  }
}
`,
  },
  edits: {
    [`${root}/orders/Checkout.java`]: [
      [
        '    return order.subtotal();\n',
        `    int amount = order.subtotal() * (100 + taxes.rateOf(order.country())) / 100;
    amount -= Coupons.discountOf(order, amount);
    store.saveTotal(amount);
    return amount;
`,
      ],
    ],
  },
  definitions: [
    `${root}/orders/Order.java subtotal`,
    `${root}/orders/Order.java country`,
    `${root}/orders/Coupons.java Coupons`,
    `${root}/orders/Coupons.java discountOf`,
    `${root}/orders/Store.java saveTotal`,
    `${root}/orders/Checkout.java taxes`,
    `${root}/orders/Checkout.java store`,
    `${root}/tax/TaxTable.java rateOf`,
  ],
  uses: [`${root}/api/Routes.java:10`],
};
