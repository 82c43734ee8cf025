package cli

import (
	"strconv"
	"strings"

	"react-agent/internal/msg"
)

// fixed are the words with which results of calls begin that did not run.
func fixed() []msg.Key {
	return []msg.Key{
		msg.ResultDenied, msg.ResultNobody, msg.ResultHook, msg.ResultHookAsks, msg.ResultInterrupted, msg.ResultSkipped,
		msg.ResultCancelled, msg.ResultStuck, msg.ResultNotRun,
	}
}

// told is what a failed call's result says, its fixed words in the person's language. The model reads them in English, and
// that is what is stored.
func told(c msg.Catalogue, text string) string {
	if c.Lang() == msg.En {
		return text
	}
	for _, k := range fixed() {
		rest, ok := strings.CutPrefix(text, msg.For(msg.En).Text(k))
		if !ok {
			continue
		}
		if more, ok := strings.CutPrefix(rest, ": "); ok {
			rest = "：" + told(c, more)
		}
		return c.Text(k) + rest
	}
	return text
}

// unasked is the result of a call that a person has denied without the question, which stands right above.
func (f *follower) unasked(key, text string) string {
	if f == nil || !strings.HasPrefix(text, msg.For(msg.En).Text(msg.ResultDenied)) {
		return text
	}
	return strings.TrimSuffix(text, ": "+f.why[key])
}

// stepsOver is why a run ended at a limit of steps: the kernel says it in English.
func stepsOver(c msg.Catalogue, why string) string {
	for word := range strings.FieldsSeq(why) {
		if limit, err := strconv.Atoi(word); err == nil && why == msg.For(msg.En).Text(msg.RunStepLimit, limit) {
			return c.Text(msg.RunStepLimit, limit)
		}
	}
	return why
}
