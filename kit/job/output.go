package job

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"react-agent/internal/shell"
	"react-agent/internal/text"
)

// readOutput is the output as text with both ends, at most limit characters.
func (j *Jobs) readOutput(id string, limit int) string {
	c, err := shell.ReadEnds(j.output(id), limit*utf8.UTFMax)
	if err != nil {
		return "[" + err.Error() + "]"
	}
	s := j.clean(c.Head)
	if c.Lost > 0 {
		s = text.CutEnds(s, j.clean(c.Tail), c.Lost, limit, c.Log)
	} else {
		s = text.Cut(s, limit, c.Log)
	}
	return strings.TrimRight(s, "\n")
}

// readHead is the beginning of the output, trimmed, as the source system has it.
func (j *Jobs) readHead(id string, limit int) string {
	c, err := shell.ReadEnds(j.output(id), limit*utf8.UTFMax)
	if err != nil {
		return fmt.Sprintf(j.o.Texts.Error, err)
	}
	return strings.TrimSpace(short(strings.TrimSpace(j.clean(c.Head)), limit, ""))
}

// clean is what the model may see of an output.
func (j *Jobs) clean(b []byte) string { return j.o.Mask(text.Clean(b)) }
