package shell

import (
	"bytes"
	"strings"
	"testing"
)

// TestStreamHasEveryByte: in order, the last ones too, whatever Output and the memory leave out.
func TestStreamHasEveryByte(t *testing.T) {
	if _, err := Find("sh"); err != nil {
		t.Skip("needs sh")
	}
	var got bytes.Buffer
	r, err := Run(t.Context(), Cmd{
		Command: `i=0; while [ $i -lt 20000 ]; do echo "line $i"; i=$((i+1)); done; printf 'the \377 end'; echo aside >&2`,
		Shell:   "sh", Dir: t.TempDir(), Split: true, Keep: 100, Stream: func(p []byte) { got.Write(p) },
	})
	if err != nil || r.Failed() {
		t.Fatal(err, r.Status())
	}
	lines := strings.Split(got.String(), "\n")
	if len(lines) != 20001 || lines[0] != "line 0" || lines[19999] != "line 19999" || lines[20000] != "the \xff end" || int64(got.Len()) != r.Total {
		t.Errorf("%d lines, the last is %q; %d bytes of %d", len(lines), lines[len(lines)-1], got.Len(), r.Total)
	}
}
