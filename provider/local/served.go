package local

import (
	"context"
	"crypto/sha256"
	"errors"
	"iter"
	"sync"
	"time"

	"react-agent/agent"
	"react-agent/internal/msg"
)

// Options say which model of which server is wanted.
type Options struct {
	// Client asks the server what it serves.
	Client Client
	// Base is the address of its Chat Completions, Name the model; "" = one that the server has, a loaded one first.
	Base, Name string
	// Kind is what the server is thought to be, for the words of an error while none answers; "" = not known.
	Kind Kind
	// Info is what the configuration says of the model. A window here bounds the one that the server tells.
	Info agent.ModelInfo
	// Open makes the model proper, once it is known which, and at which base; with tags one that calls tools in its text. It
	// does not connect.
	Open func(base string, m Model, tags bool) (agent.Model, error)
	// Tags: "" = where a model knows no tools, "always", or "never".
	Tags string
	// Shy asks the server nothing unless no model was named, or a call has failed: for a server that may be no local one.
	Shy bool
	// Patience is how long a model may take to load; 0 = 15 minutes.
	Patience time.Duration
	// Msg words what the person is told.
	Msg msg.Catalogue
}

// Served is a model of a local server. It may be used by many runs at once.
type Served struct {
	o    Options
	lock chan struct{} // held by who reads the server

	mu    sync.Mutex
	at    *reading // nil: not read yet
	ratio float64  // what the server counts for a token of our estimate; 0 = no count yet

	parts map[[sha256.Size]byte]int // of the window that a result may have, by conversation, where less than the largest
}

// reading is what was read of the server, and the model opened by it. It does not change.
type reading struct {
	server Server
	model  Model
	inner  agent.Model
	tagged bool   // inner calls tools in its text
	asked  bool   // the server was asked, and answered
	loaded bool   // it was waited for the model
	why    string // why it was not asked or did not answer
	notes  []string
}

// New makes the model. It does not connect.
func New(o Options) *Served {
	if o.Patience == 0 {
		o.Patience = 15 * time.Minute
	}
	s := &Served{o: o, lock: make(chan struct{}, 1)}
	if o.Shy && o.Name != "" {
		at := &reading{server: Server{Kind: Other, Base: o.Base}, model: Model{Name: o.Name}, loaded: true}
		if s.open(at, false) == nil {
			s.at = at
		}
	}
	return s
}

// Info describes the model as far as the server was read: before that it is what the configuration says.
func (s *Served) Info() agent.ModelInfo {
	at := s.current()
	if at == nil {
		info := s.o.Info
		info.Name = s.o.Name
		return info
	}
	info := at.inner.Info()
	if w := s.window(at); w > 0 {
		info.Context = w
		if info.MaxOutput > w {
			info.MaxOutput = w
		}
	}
	return info
}

// Prepare reads the server if that was not done, so that Info knows what there is to know. It waits for no model to load,
// no longer than the client's limit, and is silent: what is wrong is said by the next call.
func (s *Served) Prepare(ctx context.Context) {
	if s.current() == nil {
		_, _ = s.read(ctx)
	}
}

// Stream asks the model, after the server was read. See the package for what it does beside that.
func (s *Served) Stream(ctx context.Context, req *agent.Request) iter.Seq2[agent.Chunk, error] {
	return func(yield func(agent.Chunk, error) bool) {
		c := &call{s: s, ctx: ctx, req: req, yield: yield}
		if err := c.run(); err != nil && !c.gone {
			yield(agent.Chunk{}, err)
		}
	}
}

func (s *Served) current() *reading {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.at
}

func (s *Served) keep(at *reading) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.at = at
}

// swap keeps a reading in the place of another, unless somebody has read anew meanwhile.
func (s *Served) swap(old, at *reading) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.at == old {
		s.at = at
	}
}

// window is the one to obey: the server's, unless the configuration wants a smaller one. 0 = not known.
func (s *Served) window(at *reading) int {
	own := at.model.Context
	if own == 0 && at.server.Kind != Ollama && at.server.Kind != LMStudio { // those two run models with less than they were made for
		own = at.model.Trained
	}
	if want := s.o.Info.Context; want > 0 && (own == 0 || want < own) {
		return want
	}
	return own
}

// estimate is the factor for our count of tokens, and whether it comes from the server.
func (s *Served) estimate() (float64, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ratio == 0 {
		return 1, false
	}
	return s.ratio, true
}

// learn keeps what the server has counted for a request of which we thought that it was so long.
func (s *Served) learn(thought, counted int) {
	if thought < 64 || counted <= 0 {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ratio = min(max(float64(counted)/float64(thought), 0.4), 2.5)
}

// lost reports whether the server seems to have read less than was sent. Texts differ in how many tokens they take, so its
// count must be far below the estimate; and where the window is known there must have been a reason to cut.
func (s *Served) lost(at *reading, f *fitted, counted int) bool {
	if k := about(at.server.Kind); at.tagged || !at.asked || k.refuses || k.grow == "" {
		return false
	}
	sent, read := float64(f.share.sum()), float64(counted)
	if sent < 512 {
		return false
	}
	w := float64(at.model.Context) // where it cuts, whatever the configuration wants
	if w == 0 {
		return read < sent*0.5
	}
	ratio, _ := s.estimate()
	return read >= w || sent*ratio >= 0.85*w && read < sent*ratio*0.6
}

// read asks the server and opens the model. Who comes while another asks waits and takes what it found.
func (s *Served) read(ctx context.Context) (*reading, error) {
	before := s.current()
	select {
	case s.lock <- struct{}{}:
		defer func() { <-s.lock }()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	if now := s.current(); now != before && now != nil {
		return now, nil
	}
	server, err := s.o.Client.ask(ctx, s.o.Base, s.o.Name)
	if err != nil && (s.o.Name == "" || !errors.Is(err, errNoServer)) {
		return nil, err
	}
	at := &reading{}
	if err != nil { // something is there; it may answer calls all the same
		at.server, at.model, at.why = Server{Kind: Other, Base: s.o.Base}, Model{Name: s.o.Name}, err.Error()
		at.loaded = true
	} else {
		at.server, at.asked = *server, true
		if err := s.pick(at); err != nil {
			return nil, err
		}
	}
	if err := s.open(at, before != nil && before.tagged); err != nil {
		return nil, err
	}
	if before != nil && before.asked {
		at.notes = nil // they were said
	}
	s.keep(at)
	return at, nil
}

// pick finds the model in what the server has.
func (s *Served) pick(at *reading) error {
	if at.server.Loading {
		return errLoading
	}
	if s.o.Name == "" {
		m, ok := at.server.Choose()
		if !ok {
			return &unfitError{at.server, ""}
		}
		at.model = m
		at.notes = append(at.notes, s.o.Msg.Text(msg.LocalChosen, m.Name, titled(s.o.Msg, at.server.Kind)))
	} else if err := s.named(at); err != nil {
		return err
	}
	_, has := at.server.Find(s.o.Name)
	at.loaded = at.server.Kind != Ollama || at.model.Loaded || s.o.Name != "" && !has // what it does not have it does not load
	if want := s.o.Info.Context; want > 0 && at.model.Context > 0 && at.model.Context < want {
		at.notes = append(at.notes, s.o.Msg.Text(msg.LocalSmaller, at.model.Name, at.model.Context, want))
	}
	return nil
}

// named finds the model that was named. The server may know one that it does not list, under another name.
func (s *Served) named(at *reading) error {
	m, ok := at.server.Find(s.o.Name)
	switch {
	case ok && m.Embeds:
		return &unfitError{at.server, s.o.Name}
	case ok:
		at.model = m
	case about(at.server.Kind).alone && len(at.server.Models) == 1:
		at.model = at.server.Models[0]
	}
	at.model.Name = s.o.Name
	return nil
}

// open makes the model, with tags if it is known to have no tools. again says that it had them before.
func (s *Served) open(at *reading, again bool) error {
	none := at.model.Tools == No && s.o.Tags != Never
	at.tagged = again || none || s.o.Tags == Always
	if none && !again && s.o.Tags != Always {
		at.notes = append(at.notes, s.o.Msg.Text(msg.LocalTags, at.model.Name, s.o.Msg.Text(msg.LocalSays)))
	}
	var err error
	at.inner, err = s.o.Open(at.server.Base, at.model, at.tagged)
	return err
}

// When a model calls tools in its text.
const (
	Always = "always"
	Never  = "never"
)

var errLoading = errors.New("the server loads its model")

// unfitError says that a server has no model that answers, or that the one that was named does not.
type unfitError struct {
	server Server
	name   string
}

// Error says it in short.
func (e *unfitError) Error() string {
	if e.name == "" {
		return "the server has no model that answers"
	}
	return e.name + " makes embeddings only"
}
