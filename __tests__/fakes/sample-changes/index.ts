import { goChange, javaChange } from './compiled.ts';
import { pythonChange, rubyChange } from './scripted.ts';
import { type SampleChange, typescriptChange } from './typescript.ts';

const rustChange: SampleChange = {
  language: 'Rust',
  files: {
    'src/lib.rs': 'pub mod checkout;\npub mod coupons;\npub mod order;\npub mod tax;\n',
    'src/order.rs': `pub struct Line {
    pub price: u32,
    pub quantity: u32,
}

pub struct Order {
    pub country: String,
    pub coupon: Option<String>,
    pub lines: Vec<Line>,
}

impl Order {
    pub fn subtotal(&self) -> u32 {
        self.lines.iter().map(|line| line.price * line.quantity).sum()
    }
}
`,
    'src/tax.rs': `use std::collections::HashMap;

pub const MINIMUM: u32 = 5;

pub struct TaxTable {
    rates: HashMap<String, u32>,
}

impl TaxTable {
    pub fn rate_of(&self, country: &str) -> u32 {
        *self.rates.get(country).unwrap_or(&0)
    }
}
`,
    'src/coupons.rs': `pub fn discount_of(coupon: &str, amount: u32) -> u32 {
    amount * coupon.len() as u32 / 100
}
`,
    'src/checkout.rs': `use crate::coupons;
use crate::order::Order;
use crate::tax::{TaxTable, MINIMUM};

pub struct Checkout {
    taxes: TaxTable,
}

impl Checkout {
    pub fn new(taxes: TaxTable) -> Self {
        Self { taxes }
    }

    /// What a customer pays.
    pub fn total(&self, order: &Order) -> u32 {
        order.subtotal()
    }
}
`,
    'src/main.rs': `use shop::checkout::Checkout;

fn main() {
    let checkout = Checkout::new(load());
    println!("{}", checkout.total(&read()));
}
`,
    'tests/checkout.rs': `use shop::checkout::Checkout;

#[test]
fn costs_nothing() {
    assert_eq!(Checkout::new(table()).total(&order()), 0);
}
`,
  },
  edits: {
    'src/checkout.rs': [
      [
        '        order.subtotal()\n',
        `        let mut amount = order.subtotal() * (100 + self.taxes.rate_of(&order.country)) / 100;
        if let Some(coupon) = &order.coupon {
            amount -= coupons::discount_of(coupon, amount);
        }
        amount.max(MINIMUM)
`,
      ],
    ],
  },
  definitions: [
    'src/order.rs subtotal',
    'src/order.rs country',
    'src/order.rs coupon',
    'src/coupons.rs discount_of',
    'src/tax.rs rate_of',
    'src/tax.rs MINIMUM',
    'src/checkout.rs taxes',
  ],
  uses: ['src/main.rs:5', 'tests/checkout.rs:4'],
};

export const sampleChanges: readonly SampleChange[] = [
  typescriptChange,
  pythonChange,
  goChange,
  javaChange,
  rubyChange,
  rustChange,
];
