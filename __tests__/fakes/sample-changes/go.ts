import type { SampleChange } from './sample-change.ts';

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
  uses: ['cmd/shop/main.go:11', 'internal/orders/checkout_test.go:6'],
};
