import type { SampleChange } from './typescript.ts';

export const goChange: SampleChange = {
  language: 'Go',
  files: {
    'go.mod': 'module example.com/shop\n',
    'internal/orders/order.go': `package orders

// Line is one position of an order.
type Line struct {
	Price    int
	Quantity int
}

type Order struct {
	Country string
	Coupon  string
	Lines   []Line
}

func (o *Order) Subtotal() int {
	sum := 0
	for _, line := range o.Lines {
		sum += line.Price * line.Quantity
	}
	return sum
}
`,
    'internal/orders/checkout.go': `package orders

import (
	"context"
	"fmt"

	"example.com/shop/internal/tax"
)

// Store keeps totals.
type Store interface {
	Save(ctx context.Context, total int) error
}

type Checkout struct {
	store Store
	taxes *tax.Table
}

func New(store Store, taxes *tax.Table) *Checkout {
	return &Checkout{store: store, taxes: taxes}
}

// Total is what a customer pays.
func (c *Checkout) Total(ctx context.Context, order *Order) (int, error) {
	if order == nil {
		return 0, fmt.Errorf("no order")
	}
	return order.Subtotal(), nil
}
`,
    'internal/orders/coupon.go': `package orders

const maxDiscount = 50

func discountOf(coupon string, amount int) int {
	return amount * len(coupon) / 100
}
`,
    'internal/tax/table.go': `package tax

type Table struct {
	rates map[string]int
}

// Rate is in percent.
func (t *Table) Rate(country string) int {
	return t.rates[country]
}
`,
    'internal/tax/round.go': `package tax

func Round(amount int) int {
	return amount / 100 * 100
}
`,
    'internal/darts/score.go': `package darts

func discountOf(points int) int { return points }

func Round(points int) int { return points }
`,
    'cmd/shop/main.go': `package main

import (
	"context"

	"example.com/shop/internal/orders"
)

func main() {
	checkout := orders.New(nil, nil)
	total, err := checkout.Total(context.Background(), &orders.Order{})
	println(total, err)
}
`,
    'internal/orders/checkout_test.go': `package orders

import "testing"

func TestTotalOfNothing(t *testing.T) {
	if total, _ := New(nil, nil).Total(nil, &Order{}); total != 0 {
		t.Fatal(total)
	}
}
`,
  },
  edits: {
    'internal/orders/checkout.go': [
      [
        '	return order.Subtotal(), nil\n',
        `	amount := order.Subtotal()
	amount += tax.Round(amount * c.taxes.Rate(order.Country) / 100)
	if order.Coupon != "" {
		amount -= min(discountOf(order.Coupon, amount), maxDiscount)
	}
	return amount, c.store.Save(ctx, amount)
`,
      ],
    ],
  },
  definitions: [
    'internal/orders/order.go Subtotal',
    'internal/orders/order.go Country',
    'internal/orders/order.go Coupon',
    'internal/orders/coupon.go discountOf',
    'internal/orders/coupon.go maxDiscount',
    'internal/orders/checkout.go Save',
    'internal/orders/checkout.go taxes',
    'internal/orders/checkout.go store',
    'internal/tax/table.go Rate',
    'internal/tax/round.go Round',
  ],
  uses: ['cmd/shop/main.go:11', 'internal/orders/checkout_test.go:5'],
};

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
