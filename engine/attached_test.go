package engine_test

import (
	"context"
	"errors"
	"sync"
	"testing"

	"react-agent/agent"
	"react-agent/agent/agenttest"
	"react-agent/engine"
	"react-agent/store/disk"
)

// cutOff is a store whose log fails once as if the process had died after it has stored an attachment.
type cutOff struct {
	*disk.Store
	armed bool // changed before there is a worker
	mu    sync.Mutex
	put   []string // by callers and by workers
}

var errDied = errors.New("died")

func (c *cutOff) PutBlob(ctx context.Context, data []byte) (string, error) {
	sha, err := c.Store.PutBlob(ctx, data)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.put = append(c.put, sha)
	return sha, err
}

func (c *cutOff) Append(ctx context.Context, log string, after int64, data []byte) (int64, error) {
	if c.armed {
		c.armed = false
		return 0, errDied
	}
	return c.Store.Append(ctx, log, after, data)
}

func withPicture(text, id string) engine.Input {
	m := agent.TextMessage(agent.User, text)
	m.Parts = append(m.Parts, agent.Part{Kind: agent.BlobKind, Blob: &agent.Blob{MIME: "image/png", Name: "a.png", Data: []byte("PNG bytes")}})
	return engine.Input{ID: id, Message: &m}
}

// Whoever dies between the attachment and the message has said nothing: the message can be sent again, counts once, and has
// its attachment, also for the engine that comes after.
func TestDeathBetweenAttachmentAndMessage(t *testing.T) {
	dir := t.TempDir()
	st := &cutOff{Store: diskStore(t, dir), armed: true}
	s := newSetup(t, st, agenttest.Say("I see"), agenttest.Say("again"))
	if _, err := s.eng.Submit(t.Context(), "s", withPicture("look", "one")); !errors.Is(err, errDied) {
		t.Fatalf("error: %v", err)
	}
	if len(st.put) != 1 {
		t.Fatalf("%d attachments were stored", len(st.put))
	}
	info, err := s.eng.Info(t.Context(), "s")
	if err != nil || info.Seq != 0 || len(info.Queue) != 0 {
		t.Fatalf("something is left: %+v %v", info, err)
	}
	r := follow(t, s.eng, "s", 0)
	for range 2 {
		submit(t, s.eng, "s", withPicture("look", "one"))
	}
	r.Until("the end", isEnd)
	waitIdle(t, s.eng, "s")
	es := stored(t, st, "s")
	wantTexts(t, es, agent.User, "look")
	if err := s.eng.Close(t.Context()); err != nil {
		t.Fatal(err)
	}

	next := newSetup(t, diskStore(t, dir), agenttest.Say("again"))
	r = follow(t, next.eng, "s", int64(len(es)))
	submit(t, next.eng, "s", say("and now?"))
	r.Until("the end", isEnd)
	calls := next.model.Requests()
	first := calls[0].Messages[0].Parts
	if len(first) != 2 || first[1].Blob == nil || string(first[1].Blob.Data) != "PNG bytes" || first[1].Blob.SHA256 != st.put[0] {
		t.Errorf("the model was shown %+v", first)
	}
}
