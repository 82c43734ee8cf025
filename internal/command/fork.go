package command

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strconv"

	"react-agent/engine"
	"react-agent/internal/msg"
	"react-agent/store"
)

// forkCommand makes a new session from the events of another one, up to a number.
func forkCommand() Command {
	return Command{
		Name: "session fork", Args: "ID [NEW]", Help: msg.HelpFork, Shell: true, Min: 1, Max: 2,
		Flags: []Flag{{Name: "at", Help: msg.FlagAt}},
		Run: func(ctx context.Context, h *Host, in Input) (Outcome, error) {
			from, err := Existing(ctx, h, in.Args[0])
			if err != nil {
				return Outcome{}, err
			}
			at, err := strconv.ParseInt(cmp.Or(in.Flags["at"], "0"), 10, 64)
			if err != nil || at < 0 {
				return Outcome{}, usage(msg.BadNumber, "--at", in.Flags["at"])
			}
			to := engine.NewID()
			if len(in.Args) == 2 {
				if to, err = store.CleanID(in.Args[1]); err != nil {
					return Outcome{}, &UsageError{err}
				}
			}
			n, err := fork(ctx, h.Store, from, to, at)
			if err != nil {
				return Outcome{}, err
			}
			if in.JSON {
				return Outcome{}, printJSON(in, map[string]any{"session": to, "from": from, "events": n})
			}
			return Outcome{}, in.printf("%s\n", to)
		},
	}
}

// fork copies records as they are but for the session's id. Calls keep their keys: they say which work was done, and that
// was done by the old session.
func fork(ctx context.Context, log store.Log, from, to string, at int64) (int, error) {
	name, n, pos := "session/"+to, 0, int64(0)
	for rec, err := range log.Read(ctx, "session/"+from, 0, false) {
		if err != nil {
			return n, err
		}
		var head struct {
			Seq int64 `json:"seq"`
		}
		if err := json.Unmarshal(rec.Data, &head); err != nil {
			return n, fmt.Errorf("session %s: event %d: %w", from, n+1, err)
		}
		if at > 0 && head.Seq > at {
			break
		}
		if pos, err = log.Append(ctx, name, pos, rename(rec.Data, from, to)); err != nil {
			return n, fmt.Errorf("session %s: %w", to, err)
		}
		n++
	}
	return n, nil
}

// rename replaces the id in the session field, which stands before everything that a person or model wrote.
func rename(line []byte, from, to string) []byte {
	return bytes.Replace(line, []byte(`"session":"`+from+`"`), []byte(`"session":"`+to+`"`), 1)
}
