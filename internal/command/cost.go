package command

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"

	"react-agent/agent"
	"react-agent/internal/msg"
	"react-agent/internal/text"
	"react-agent/kit/cost"
)

// costCommand says what model calls have cost: of a conversation, or of everything in the state directory; and what the
// prices are.
func costCommand() Command {
	return Command{
		Name: "cost", Args: costArgs, Help: msg.HelpCost, Slash: true, Shell: true, Max: 2,
		Flags: []Flag{{Name: "by", Default: "model", Help: msg.FlagBy}},
		Run: func(ctx context.Context, h *Host, in Input) (Outcome, error) {
			if len(in.Args) > 0 && in.Args[0] == "prices" {
				return Outcome{}, showPrices(h, in)
			}
			heading := in.Flags["by"]
			if len(in.Args) == 2 && in.Args[0] == "by" { // in a conversation there are no flags
				heading, in.Args = in.Args[1], nil
			}
			if len(in.Args) > 1 {
				return Outcome{}, usage(msg.SlashArgs, "cost "+costArgs)
			}
			by, ok := headings()[heading]
			if !ok {
				return Outcome{}, usage(msg.CostBy, heading)
			}
			session := in.Session
			if len(in.Args) == 1 {
				id, err := Existing(ctx, h, in.Args[0])
				if err != nil {
					return Outcome{}, err
				}
				session = id
			}
			return Outcome{}, showCost(ctx, h, in, session, by)
		},
	}
}

const costArgs = "[SESSION | by WORD | prices [MODEL]]"

// headings are what costs can be listed by.
func headings() map[string]func(c *cost.Call) string {
	return map[string]func(c *cost.Call) string{
		"model":   (*cost.Call).Name,
		"session": func(c *cost.Call) string { return c.Session },
		"day":     func(c *cost.Call) string { return c.Time.Local().Format("2006-01-02") },
		"vendor":  func(c *cost.Call) string { return c.Vendor },
	}
}

// costRow is a line as JSON: an unknown sum is absent, never 0.
type costRow struct {
	Key string `json:"key,omitempty"`
	cost.Sum
	USD *float64 `json:"cost_usd,omitempty"`
}

func costRowOf(key string, s cost.Sum) costRow {
	r := costRow{Key: key, Sum: s}
	if usd, ok := s.Cost(); ok {
		r.USD = &usd
	}
	return r
}

// costReport is the whole as JSON.
type costReport struct {
	Session   string    `json:"session,omitempty"`
	Lines     []costRow `json:"lines"`
	Total     costRow   `json:"total"`
	MaxCost   float64   `json:"max_cost,omitempty"`
	MaxTokens int64     `json:"max_total_tokens,omitempty"`
	AsOf      string    `json:"prices_as_of"`
}

func showCost(ctx context.Context, h *Host, in Input, session string, by func(c *cost.Call) string) error {
	var calls []cost.Call
	var err error
	if session == "" {
		calls, err = h.Meter.All(ctx)
	} else {
		calls, err = h.Meter.Calls(ctx, session)
		if strings.Contains(session, ".") { // a sub-agent with its own
			calls = slices.DeleteFunc(calls, func(c cost.Call) bool { return c.Session != session && !strings.HasPrefix(c.Session, session+".") })
		}
	}
	if err != nil {
		return err
	}
	lines, total := cost.Group(calls, by), cost.Total(calls)
	r := costReport{Session: session, Lines: []costRow{}, Total: costRowOf("", total), AsOf: h.Meter.Prices().AsOf()}
	if session != "" {
		r.MaxCost, r.MaxTokens = h.Meter.Limits()
	}
	for _, line := range lines {
		r.Lines = append(r.Lines, costRowOf(line.Key, line.Sum))
	}
	if in.JSON {
		return printJSON(in, r)
	}
	if len(calls) == 0 {
		return in.printf("%s\n", h.Msg.Text(msg.CostNone))
	}
	return printCost(h, in, r)
}

func printCost(h *Host, in Input, r costReport) error {
	t := h.Msg.Text
	table := [][]string{{
		t(msg.CostHeadKey), t(msg.CostHeadCalls), t(msg.CostHeadInput), t(msg.CostHeadCached), t(msg.CostHeadWritten), t(msg.CostHeadOutput),
		t(msg.CostHeadThought), t(msg.CostHeadUSD),
	}}
	for _, row := range append(slices.Clone(r.Lines), r.Total) {
		key := cmp.Or(row.Key, t(msg.CostTotal))
		if row.Estimated > 0 {
			key += " ~"
		}
		table = append(table, []string{
			key, strconv.Itoa(row.Calls), grouped(row.Input), grouped(row.Cached), grouped(row.CacheWrite), grouped(row.Output), grouped(row.Reasoning),
			amount(h, &row),
		})
	}
	if len(r.Lines) == 1 {
		table = table[:2] // a total of one line says nothing new
	}
	if err := in.printf("%s", aligned(table)); err != nil {
		return err
	}
	return in.printf("%s", strings.Join(remarks(h, r), ""))
}

// amount is the money of a line: what is known, and that something is not.
func amount(h *Host, row *costRow) string {
	switch {
	case row.USD == nil:
		return h.Msg.Text(msg.CostUnknownSum)
	case row.Unpriced > 0:
		return cost.Dollars(*row.USD) + " + ?"
	}
	return cost.Dollars(*row.USD)
}

// remarks stand below the table.
func remarks(h *Host, r costReport) (lines []string) {
	say := func(k msg.Key, args ...any) { lines = append(lines, h.Msg.Text(k, args...)+"\n") }
	s := r.Total.Sum
	if s.Failed > 0 {
		say(msg.CostFailed, s.Failed)
	}
	if s.Estimated > 0 {
		say(msg.CostEstimated, s.Estimated)
	}
	if s.Unpriced > 0 {
		say(msg.CostUnpriced, s.Unpriced)
	}
	if r.MaxCost > 0 {
		say(msg.CostLimit, cost.Dollars(s.USD), cost.Dollars(r.MaxCost), int(100*s.USD/r.MaxCost))
	}
	if r.MaxTokens > 0 {
		say(msg.CostLimitTokens, grouped(s.Tokens()), grouped(r.MaxTokens))
	}
	say(msg.CostAsOf, r.AsOf)
	return lines
}

// showPrices lists the table of prices, or the models whose name has a word in it.
func showPrices(h *Host, in Input) error {
	all, err := h.Meter.Prices().All()
	if err != nil {
		return err
	}
	if len(in.Args) > 1 {
		word := strings.ToLower(in.Args[1])
		all = slices.DeleteFunc(all, func(m cost.Model) bool { return !strings.Contains(strings.ToLower(m.Vendor+"/"+m.ID), word) })
		if m, ok := h.Meter.Prices().Lookup(h.Config.Provider, in.Args[1]); len(all) == 0 && ok { // by the rules, not by its letters
			all = []cost.Model{m}
		}
	}
	if in.JSON {
		return printJSON(in, map[string]any{"as_of": h.Meter.Prices().AsOf(), "models": priceRows(all)})
	}
	if len(all) == 0 {
		return usage(msg.CostNoModel, in.Args[1])
	}
	t := h.Msg.Text
	table := [][]string{{
		t(msg.CostHeadKey), t(msg.CostHeadAbove), t(msg.CostHeadInput), t(msg.CostHeadCached), t(msg.CostHeadWritten), t(msg.CostHeadOutput), t(msg.CostHeadWindow),
	}}
	for _, r := range priceRows(all) {
		above, window := "", ""
		if r.Above > 0 {
			above = "> " + grouped(r.Above)
		}
		if r.Context > 0 {
			window = grouped(int64(r.Context))
		}
		table = append(table, []string{r.Vendor + "/" + r.Model, above, price(r.Input), price(r.Cached), price(r.CacheWrite), price(r.Output), window})
	}
	if err := in.printf("%s", aligned(table)); err != nil {
		return err
	}
	return in.printf("%s\n%s\n", t(msg.CostPer), t(msg.CostAsOf, h.Meter.Prices().AsOf()))
}

// priceRow is a model, or a tier of one, as it is listed. Absent prices are unknown, or those of plain input.
type priceRow struct {
	Vendor     string   `json:"vendor"`
	Model      string   `json:"model"`
	Above      int64    `json:"above_input_tokens,omitempty"`
	Input      *float64 `json:"input,omitempty"`
	Cached     *float64 `json:"cached,omitempty"`
	CacheWrite *float64 `json:"cache_write,omitempty"`
	Output     *float64 `json:"output,omitempty"`
	Context    int      `json:"context_window,omitempty"`
	MaxOutput  int      `json:"max_output,omitempty"`
	Vision     bool     `json:"vision,omitempty"`
	Reasoning  bool     `json:"reasoning,omitempty"`
	Own        bool     `json:"own,omitempty"`
}

func priceRows(list []cost.Model) []priceRow {
	rows := []priceRow{}
	for i := range list {
		m := &list[i]
		r := priceRow{Vendor: m.Vendor, Model: m.ID, Context: m.Context, MaxOutput: m.MaxOutput, Vision: m.Vision, Reasoning: m.Reasoning, Own: m.Own}
		rows = append(rows, r.with(m.Price))
		for j := range m.Tiers {
			r.Above = m.Tiers[j].Above
			rows = append(rows, r.with(&m.Tiers[j].Price))
		}
	}
	return rows
}

func (r priceRow) with(p *cost.Price) priceRow {
	if p != nil {
		r.Input, r.Output, r.Cached, r.CacheWrite = &p.Input, &p.Output, p.Cached, p.CacheWrite
	}
	return r
}

func price(usd *float64) string {
	if usd == nil {
		return "-"
	}
	return strconv.FormatFloat(*usd, 'f', -1, 64)
}

// Spent is one line about what a run has used; "" when nothing is known.
func Spent(c msg.Catalogue, u *agent.Usage) string {
	if u == nil || u.Input == nil && u.Output == nil && u.CostUSD == nil {
		return ""
	}
	about := ""
	if u.Estimated {
		about = "~"
	}
	line := c.Text(msg.CostRun, about+grouped(value(u.Input)), about+grouped(value(u.Output)))
	if n := value(u.Cached); n > 0 {
		line = c.Text(msg.CostRunCached, about+grouped(value(u.Input)), grouped(n), about+grouped(value(u.Output)))
	}
	if u.CostUSD != nil {
		line += " · " + about + cost.Dollars(*u.CostUSD)
	}
	return line
}

func value(n *int64) int64 {
	if n == nil {
		return 0
	}
	return *n
}

// grouped writes a number with a comma between thousands.
func grouped(n int64) string {
	s := strconv.FormatInt(n, 10)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// aligned writes rows in columns: the first to the left, numbers to the right.
func aligned(rows [][]string) string {
	wide := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			wide[i] = max(wide[i], text.Columns(cell))
		}
	}
	var b strings.Builder
	for _, row := range rows {
		cells := []string{pad(row[0], wide[0])}
		for i, cell := range row[1:] {
			cells = append(cells, strings.Repeat(" ", wide[i+1]-text.Columns(cell))+cell)
		}
		b.WriteString(strings.TrimRight(strings.Join(cells, "  "), " ") + "\n")
	}
	return b.String()
}
