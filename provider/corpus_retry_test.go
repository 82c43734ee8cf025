package provider_test

import "testing"

// playRetry plays a case of type retry.
func playRetry(_ *testing.T, _ *wireCase) outcome {
	return outcome{faults: []string{"no runner for retry cases yet"}}
}
