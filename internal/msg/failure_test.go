package msg

import (
	"strings"
	"testing"
)

func TestFailure(t *testing.T) {
	for kind := range kinds() {
		if en := For(En).Failure("acme", kind, 0, "x"); en != "acme: "+kind+": x" {
			t.Error(en)
		}
		if zh := For(Zh).Failure("", kind, 0, ""); zh == kind || !strings.Contains(zh, "（"+kind+"）") {
			t.Error(zh)
		}
	}
	if got := For(Zh).Failure("acme", "server", 503, "busy"); got != "acme：服务端出错（server） (HTTP 503)：busy" {
		t.Error(got)
	}
	if got := For(En).Failure("", "odd", 503, ""); got != "odd (HTTP 503)" {
		t.Error(got)
	}
}
