package agent

import (
	"encoding/json"
	"testing"
)

// Amounts add up to amounts: no noise of floating point reaches a log or a person. What only a price list needs is neither
// added nor stored.
func TestUsageAdds(t *testing.T) {
	var sum Usage
	for range 3 {
		sum.Add(&Usage{CostUSD: new(0.1), Input: new(int64(1)), HourWrite: new(int64(5))})
	}
	sum.Add(nil)
	if *sum.CostUSD != 0.3 || *sum.Input != 3 || sum.HourWrite != nil || sum.Output != nil {
		t.Errorf("%+v, cost %v", sum, *sum.CostUSD)
	}
	raw, err := json.Marshal(&Usage{HourWrite: new(int64(5))})
	if err != nil || string(raw) != "{}" {
		t.Errorf("%s %v", raw, err)
	}
}
