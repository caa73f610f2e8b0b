package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/pflag"

	"rung/cli/command"
	"rung/engine"
	"rung/engine/logs"
	"rung/model"
	"rung/model/words"
	"rung/pages/page"
	"rung/revision"
)

// hitOut is the JSON of a rule's hits for a pair of ends. Pairs beyond the counted ones share one entry
// without ends.
type hitOut struct {
	At      string `json:"at"` // time of the count
	Policy  string `json:"policy"`
	Rule    string `json:"rule,omitempty"`
	Verdict string `json:"verdict"`
	From    string `json:"from,omitempty"`
	To      string `json:"to,omitempty"`
	Traffic string `json:"traffic,omitempty"`
	Hits    uint64 `json:"hits"`
	Lately  uint64 `json:"hits_15m"`
	First   string `json:"first,omitempty"`
	Last    string `json:"last,omitempty"`
}

// lineAggregate counts lines instead of printing them.
type lineAggregate struct {
	on    bool
	until string

	follow bool
	begin  time.Time // earlier lines are not counted
	end    time.Time // later lines are not counted, unless zero
	head   bool      // a head was printed
	last   string    // last print, without its time
}

func (g *lineAggregate) register(p *pflag.FlagSet) {
	p.BoolVar(&g.on, "aggregate", false, "count lines by rule and pair instead of printing them")
	p.StringVar(&g.until, "until", "", "with --aggregate: count lines up to this `TIME`, given like --since")
}

// checkFlags checks the flags together. begin starts the requested lines, or zero for all.
func (g *lineAggregate) checkFlags(output string, follow bool, begin, now time.Time) (err error) {
	g.follow, g.begin = follow, begin
	switch {
	case !g.on && output == command.CSVForm:
		return errors.New("-o csv is for --aggregate")
	case !g.on && g.until != "":
		return errors.New("--until is for --aggregate")
	case g.until == "":
		return nil
	}
	if g.end, err = words.ParseMoment(g.until, now, now); err != nil {
		return fmt.Errorf("--until %q: %w", g.until, err)
	}
	if g.end.Before(begin) {
		return fmt.Errorf("--until %s is before --since", g.until)
	}
	return nil
}

// aggregateEvery is how often changed counts are printed.
const aggregateEvery = time.Second

// countLines counts the matching lines until ctx or the files end, and prints the counts at the end; with
// --follow whenever they changed. Without filters it prints the console's counts.
func countLines(ctx context.Context, a *command.App, e *engine.Engine, g *lineAggregate, match func(*logs.Entry) bool,
	filtered bool) error {
	defer command.WhileRead(a.Raw)()
	l := e.Logs()
	ticks, stop := l.Subscribe()
	defer stop()
	l.AskForLines()
	own := logs.NewHits(e.Now())
	seen, missed := uint64(0), uint64(0)
	count := func() {
		for {
			lines := l.EntriesAfter(seen, 1000)
			for _, x := range lines {
				missed += x.Seq - seen - 1
				seen = x.Seq
				early, late := x.Line.At.Before(g.begin), !g.end.IsZero() && x.Line.At.After(g.end)
				if x.Gap == nil && x.Attributed && !early && !late && match(x) {
					rule, pair, at := logs.HitParts(x, e.Now())
					own.Add(rule, pair, at)
				}
			}
			l.Read(seen) // make room for more stored lines
			if len(lines) < 1000 {
				return
			}
		}
	}
	all := !filtered && g.end.IsZero() && g.begin.IsZero()
	report := func() error {
		count()
		rules := own.RulesWithPairs()
		if all {
			rules, _, _ = l.Hits()
			missed = 0
		}
		return printHits(a, g, rules, e.Now())
	}
	end := func() error {
		if err := report(); err != nil {
			return err
		}
		st, err := l.Stats(), error(nil)
		if n := st.Dropped + missed; n > 0 {
			a.PrintNotice(words.Count(n, "line") + " not counted: they arrived too fast")
			err = command.ErrPrinted
		}
		if st.Unattributed > 0 {
			a.PrintNotice(words.Count(st.Unattributed, "line") + " not counted: the rule behind them is unknown")
		}
		printMetersReached(a, l)
		return err
	}
	next := time.NewTicker(aggregateEvery)
	defer next.Stop()
	for {
		select {
		case <-l.EndOfLines():
			return end()
		case <-ctx.Done():
			return end()
		case <-ticks:
			count()
		case <-next.C:
			if g.follow {
				if err := report(); err != nil {
					return err
				}
			}
		}
	}
}

// printMetersReached prints on stderr which ACLs reach the limits of their meters.
func printMetersReached(a *command.App, l *logs.Store) {
	for _, x := range l.Losses() {
		fmt.Fprintf(a.Err, "rung: %s in %s: %s\n", x.ACLText(), x.Zone, x)
	}
}

// printHits prints the counts if they changed since the last print.
func printHits(a *command.App, g *lineAggregate, rules []logs.RuleHits, now time.Time) error {
	rows := hitRows(rules, now)
	text := fmt.Sprint(rows)
	if text == g.last && (g.last != "" || g.follow) {
		return nil
	}
	g.last = text
	if len(rows) == 0 && g.follow {
		return nil
	}
	for i := range rows {
		rows[i].At = page.StampText(now)
	}
	if len(rows) == 0 {
		fmt.Fprintln(a.Err, "rung: no line counted; rung logs --why POLICY explains missing lines")
	}
	again := g.head
	g.head = true
	switch {
	case a.Flags.Output == command.CSVForm:
		head := []string{"at", "policy", "rule", "verdict", "from", "to", "traffic", "hits", "hits_15m", "first", "last"}
		if again {
			head = nil
		}
		_, err := io.WriteString(a.Out, command.CSVText(head, model.MapList(rows, func(r hitOut) []string {
			return []string{r.At, r.Policy, r.Rule, r.Verdict, r.From, r.To, r.Traffic, fmt.Sprint(r.Hits), fmt.Sprint(r.Lately), r.First, r.Last}
		})))
		return err
	case a.PrintsValues():
		for _, r := range rows {
			if err := a.PrintItem(r, nil); err != nil {
				return err
			}
		}
		return nil
	}
	t := &command.TextTable{Head: []string{"HITS", "15M", "POLICY", "RULE", "VERDICT", "FROM", "TO", "TRAFFIC", "LAST"}}
	for _, r := range rows {
		from := cmp.Or(r.From, "(others)")
		t.AddRow(words.Thousands(r.Hits), words.Thousands(r.Lately), r.Policy, r.Rule, r.Verdict, from, r.To, r.Traffic, r.Last)
	}
	text = t.String()
	if again {
		text = "\n" + text
	}
	_, err := io.WriteString(a.Out, text)
	return err
}

// hitRows returns the counts as rows, without their time.
func hitRows(rules []logs.RuleHits, now time.Time) []hitOut {
	rows := []hitOut{}
	for i := range rules {
		r := &rules[i]
		o := hitOut{Policy: r.Ref.Policy.String(), Verdict: r.Verdict, Rule: fmt.Sprintf("%s %d", model.Direction(r.Ref.Direction).Lower(),
			r.Ref.Rule)}
		if r.Ref.Rule < 0 {
			o.Policy, o.Rule = revision.DefaultDeny(r.Ref.Policy.Namespace, r.Ref.Direction).String(), ""
		}
		for _, p := range r.Pairs {
			one := o
			one.From, one.To, one.Traffic = p.From, p.To, p.Traffic
			one.Hits, one.Lately, one.First, one.Last = p.Count, p.RecentLines(now), page.StampText(p.First), page.StampText(p.Last)
			rows = append(rows, one)
		}
		if r.UncountedPairs > 0 {
			o.Hits = r.UncountedPairs
			rows = append(rows, o)
		}
	}
	return rows
}
