import type { SampleChange } from './sample-change.ts';

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
  uses: ['app/pay.rb:4', 'spec/shop/checkout_spec.rb:5'],
};
