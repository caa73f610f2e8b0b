package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"rung/engine"
	"rung/engine/logs"
	"rung/engine/logs/entries"
	"rung/engine/propose"
	"rung/model"
	"rung/model/narrow"
	"rung/model/verdict"
)

// proposing is what rung logs makes of its lines instead of printing them.
type proposing struct{ policy, action string }

func (p *proposing) register(cmd *cobra.Command, policies cobra.CompletionFunc) {
	cmd.Flags().StringVar(&p.policy, "propose", "", "print the `policy` with rules that allow, or deny, exactly the lines: "+propose.TargetHelp)
	cmd.Flags().StringVar(&p.action, "action", "allow", "with --propose: allow or deny")
	_ = cmd.RegisterFlagCompletionFunc("propose", policies)
	_ = cmd.RegisterFlagCompletionFunc("action", cobra.FixedCompletions([]string{"allow", "deny"}, cobra.ShellCompDirectiveNoFileComp))
}

// check says what is wrong with the flags.
func (p *proposing) check() error {
	if _, ok := proposedActions[p.action]; !ok {
		return fmt.Errorf("--action %q: use allow or deny", p.action)
	}
	return nil
}

var proposedActions = map[string]model.Action{"allow": model.Allow, "deny": model.Deny}

// propose takes the lines that tail would print, and answers with the proposal.
func (a *app) propose(ctx context.Context, e *engine.Engine, p *proposing, tail func(take func(*entries.Entry)) error) error {
	t, err := propose.ParseTarget(e.Revision(), p.policy, proposedActions[p.action])
	if err != nil {
		return fmt.Errorf("--propose: %w", err)
	}
	var attributed []*entries.Entry
	if err := tail(func(x *entries.Entry) { attributed = append(attributed, x) }); err != nil {
		return err
	}
	log := logs.Connections(attributed, narrow.MostSeen)
	if log.Over > 0 {
		return fmt.Errorf("--propose: %w", narrow.ErrTooMany)
	}
	made, err := propose.Make(context.WithoutCancel(ctx), e.Revision(), t, log.Seen)
	if err != nil {
		if made != nil && made.Proposal != nil {
			for _, n := range propose.Left(made.Left) {
				fmt.Fprintln(a.err, "rung: "+oneLine(n))
			}
		}
		return fmt.Errorf("--propose: %w", err)
	}
	if !made.Surplus.Exact() { // whoever sends the text into a file reads this
		fmt.Fprintln(a.err, "rung: "+oneLine(made.Surplus.Text()))
	}
	for _, n := range made.Missed() {
		fmt.Fprintln(a.err, "rung: "+oneLine(n))
	}
	ans := proposalAnswer(made)
	if a.flags.output == "yaml" { // the manifest is YAML
		_, err := fmt.Fprint(a.out, ans.text(false))
		return err
	}
	return a.print(ans)
}

// proposalOut is a proposal for scripts.
type proposalOut struct {
	Policy   string `json:"policy"`
	New      bool   `json:"new"`
	Priority *int32 `json:"priority,omitempty"` // of a new one
	Action   string `json:"action"`
	Lines    int    `json:"lines"`
	Rules    int    `json:"rules"`
	// Surplus is what becomes so besides the lines, not there where nothing does; Summary says
	// it in words.
	Surplus *surplusOut `json:"surplus,omitempty"`
	Summary string      `json:"summary"`
	Still   []stillOut  `json:"still"`
	Left    []leftOut   `json:"left"`
	Text    string      `json:"text"`
}

type surplusOut struct {
	Pairs   int        `json:"pairs"`
	From    endsOut    `json:"from"`
	To      endsOut    `json:"to"`
	Ports   []portsOut `json:"ports"`
	Example exampleOut `json:"example"`
}

type stillOut struct {
	Verdict verdict.Verdict `json:"verdict"`
	By      string          `json:"by"`
	Lines   int             `json:"lines"`
	Example string          `json:"example"`
}

type leftOut struct {
	Why     string `json:"why"`
	Lines   int    `json:"lines"`
	Example string `json:"example"`
}

func proposalAnswer(p *propose.Proposal) *answer {
	out := proposalOut{Policy: p.Policy.String(), New: p.New, Action: strings.ToLower(string(p.Action)), Lines: p.Lines, Rules: len(p.Rules), Text: p.Text,
		Summary: p.Surplus.Text(),
		Still:   each(p.Still, func(s propose.Still) stillOut { return stillOut{s.Verdict, s.By, s.Lines, s.Example.String()} }),
		Left:    each(p.Left, func(l narrow.Left) leftOut { return leftOut{l.Why, l.Lines, l.Example.String()} })}
	if p.New {
		out.Priority = &p.Priority
	}
	if g := p.Surplus.Group; g != nil {
		d := describeGroup(*g)
		out.Surplus = &surplusOut{d.Pairs, d.From, d.To, d.Ports, d.Example}
	}
	return &answer{value: out, text: func(bool) string {
		var b strings.Builder
		for _, n := range p.Notes() {
			fmt.Fprintf(&b, "# %s\n", oneLine(n))
		}
		return b.String() + p.Text
	}}
}
