package engine

import (
	"context"
	"time"

	"react-agent/store"
)

// Span tells cheaply where the stored events of a session begin and end: the time of the first, which no session begun anew
// under the same name shares, and the number of the last. A session without events has neither.
func (l *Local) Span(ctx context.Context, session string) (born time.Time, last int64, err error) {
	id, err := store.CleanID(session)
	if err != nil {
		return born, 0, err
	}
	for rec, err := range l.records(ctx, id, 0) {
		if err != nil {
			return born, 0, err
		}
		e, err := Decode(rec.Data, nil)
		if err != nil {
			return born, 0, err
		}
		born, last = e.Time, e.Seq
		break
	}
	rec, err := l.lastRecord(ctx, sessionLog(id))
	if err != nil || rec.Pos == 0 {
		return born, last, err
	}
	seq, _, err := head(rec.Data)
	return born, max(last, seq), err
}
