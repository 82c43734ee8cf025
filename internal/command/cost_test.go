package command

import (
	"testing"

	"react-agent/agent"
	"react-agent/internal/msg"
	"react-agent/kit/cost"
)

func TestSpent(t *testing.T) {
	for _, c := range []struct {
		u    *agent.Usage
		want string
	}{
		{nil, ""},
		{&agent.Usage{}, ""},
		{&agent.Usage{Input: new(int64(1234567)), Output: new(int64(0))}, "tokens: 1,234,567 in, 0 out"},
		{&agent.Usage{Input: new(int64(1000)), Output: new(int64(999)), Cached: new(int64(800)), CostUSD: new(0.25)}, "tokens: 1,000 in (800 cached), 999 out · $0.2500"},
		{&agent.Usage{Input: new(int64(10)), Output: new(int64(5)), Estimated: true, CostUSD: new(2.0)}, "tokens: ~10 in, ~5 out · ~$2.00"},
		{&agent.Usage{CostUSD: new(0.0)}, "tokens: 0 in, 0 out · $0.00"},
	} {
		if got := Spent(msg.For(msg.En), c.u); got != c.want {
			t.Errorf("%+v: %q, want %q", c.u, got, c.want)
		}
	}
}

func TestAmounts(t *testing.T) {
	h := &Host{}
	for _, c := range []struct {
		sum  cost.Sum
		want string
	}{
		{cost.Sum{}, "$0.00"},
		{cost.Sum{Unpriced: 2}, "unknown"},
		{cost.Sum{Unpriced: 2, Priced: 1, USD: 1.5}, "$1.50 + ?"},
		{cost.Sum{Priced: 1}, "$0.00"},
	} {
		r := costRowOf("", c.sum)
		if got := amount(h, &r); got != c.want {
			t.Errorf("%+v: %q, want %q", c.sum, got, c.want)
		}
	}
	if got := aligned([][]string{{" ", "输入"}, {"模型", "1"}, {"m", "12,345"}}); got != "        输入\n模型       1\nm     12,345\n" {
		t.Errorf("%q", got)
	}
	for v, want := range map[int64]string{0: "0", 999: "999", 1000: "1,000", -1000: "-1,000", -999999: "-999,999", 1234567890: "1,234,567,890"} {
		if got := grouped(v); got != want {
			t.Errorf("%d: %s", v, got)
		}
	}
}
