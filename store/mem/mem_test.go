package mem_test

import (
	"testing"

	"go.uber.org/goleak"

	"react-agent/store/mem"
	"react-agent/store/storetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestStore(t *testing.T) {
	storetest.Run(t, func(*testing.T) storetest.Stores {
		s := mem.New()
		return storetest.Stores{Log: s, KV: s, Blobs: s}
	})
}
