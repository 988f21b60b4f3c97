import type { SampleChange } from './typescript.ts';

export const pythonChange: SampleChange = {
  language: 'Python',
  files: {
    'shop/__init__.py': '',
    'shop/orders/__init__.py': 'from .models import Order, OrderLine\n',
    'shop/orders/models.py': `from dataclasses import dataclass, field


@dataclass
class OrderLine:
    price: int
    quantity: int = 1


@dataclass
class Order:
    country: str
    lines: list[OrderLine] = field(default_factory=list)
    coupon: str | None = None

    def subtotal(self) -> int:
        return sum(line.price * line.quantity for line in self.lines)
`,
    'shop/orders/checkout.py': `import logging

from shop.orders import Order
from shop.settings import MINIMUM
from ..tax import rates

logger = logging.getLogger(__name__)


class Checkout:
    def __init__(self, store):
        self.store = store
        self.retries = 3

    def describe(self) -> str:
        return "checkout"

    def is_small(self, order: Order) -> bool:
        return order.subtotal() < 10

    # The total is what a customer pays.

    def total(self, order: Order) -> int:
        return order.subtotal()
`,
    'shop/orders/coupons.py': `def discount_of(coupon, amount):
    """Percent by coupon."""
    return amount * len(coupon) // 100
`,
    'shop/settings.py': `import os

MINIMUM = 5
DEBUG = os.environ.get("DEBUG")
`,
    'shop/tax/__init__.py': '',
    'shop/tax/rates.py': `RATES = {"DE": 19}


def tax_for(country: str) -> int:
    return RATES.get(country, 0)
`,
    'shop/store.py': `class Store:
    def save_total(self, order, amount):
        self.last = (order, amount)
`,
    'shop/api.py': `from shop.orders.checkout import Checkout
from shop.store import Store


def pay(order):
    checkout = Checkout(Store())
    return checkout.total(order)
`,
    'games/darts.py': `def tax_for(points):
    return points


def total(points):
    return sum(points)
`,
    'tests/test_checkout.py': `from shop.orders.checkout import Checkout


def test_total_is_zero_without_lines(order):
    assert Checkout(None).total(order) == 0
`,
  },
  edits: {
    'shop/orders/checkout.py': [
      ['from ..tax import rates\n', 'from ..tax import rates\nfrom .coupons import discount_of\n'],
      [
        '    def total(self, order: Order) -> int:\n        return order.subtotal()\n',
        `    def total(self, order: Order) -> int:
        amount = order.subtotal() * (100 + rates.tax_for(order.country)) // 100
        if order.coupon:
            amount -= discount_of(order.coupon, amount)
        self.store.save_total(order, max(amount, MINIMUM))
        return amount
`,
      ],
    ],
  },
  definitions: [
    'shop/orders/coupons.py discount_of',
    'shop/orders/models.py subtotal',
    'shop/orders/models.py country',
    'shop/orders/models.py coupon',
    'shop/settings.py MINIMUM',
    'shop/store.py save_total',
    'shop/tax/rates.py tax_for',
    'shop/orders/checkout.py store',
  ],
  uses: ['shop/api.py:7', 'tests/test_checkout.py:4'],
};

export const rubyChange: SampleChange = {
  language: 'Ruby',
  files: {
    'lib/shop/order.rb': `module Shop
  class Order
    attr_reader :country, :coupon

    def initialize(country, lines)
      @country = country
      @lines = lines
    end

    def subtotal
      @lines.sum(&:price)
    end
  end
end
`,
    'lib/shop/tax.rb': `module Shop
  module Tax
    MINIMUM = 5

    def self.rate_of(country)
      country.length
    end
  end
end
`,
    'lib/shop/checkout.rb': `require_relative 'order'
require_relative 'tax'
require 'shop/coupons'

module Shop
  class Checkout
    def initialize(store)
      @store = store
    end

    def total(order)
      order.subtotal
    end

    private

    # Whole amounts only.
    # In the currency of the shop.
    #
    def rounded(amount)
      amount.round
    end
  end
end
`,
    'lib/shop/coupons.rb': `module Shop
  module Coupons
    def self.discount_of(coupon, amount)
      amount / coupon.length
    end
  end
end
`,
    'app/pay.rb': `require 'shop/checkout'

def pay(order)
  Shop::Checkout.new(nil).total(order)
end
`,
    'spec/shop/checkout_spec.rb': `require 'shop/checkout'

describe Shop::Checkout do
  it 'costs nothing' do
    expect(described_class.new(nil).total(order)).to eq(0)
  end
end
`,
  },
  edits: {
    'lib/shop/checkout.rb': [
      [
        '      order.subtotal\n',
        `      amount = order.subtotal * (100 + Tax.rate_of(order.country)) / 100
      amount -= Coupons.discount_of(order.coupon, amount) if order.coupon
      rounded([amount, Tax::MINIMUM].max)
`,
      ],
    ],
  },
  definitions: [
    'lib/shop/order.rb subtotal',
    'lib/shop/order.rb country',
    'lib/shop/order.rb coupon',
    'lib/shop/tax.rb Tax',
    'lib/shop/tax.rb rate_of',
    'lib/shop/tax.rb MINIMUM',
    'lib/shop/coupons.rb Coupons',
    'lib/shop/coupons.rb discount_of',
    'lib/shop/checkout.rb rounded',
  ],
  uses: ['app/pay.rb:4', 'spec/shop/checkout_spec.rb:4'],
};
