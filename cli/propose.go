package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"rung/cli/command"
	"rung/engine"
	"rung/engine/logs"
	"rung/model"
	"rung/model/logline"
	"rung/model/verdict"
	"rung/model/words"
	"rung/pages/page"
)

// proposalFlags are the flags with which rung logs proposes rules for its lines instead of printing them.
type proposalFlags struct{ policy, action string }

func (p *proposalFlags) register(cmd *cobra.Command) {
	cmd.Flags().StringVar(&p.policy, "propose", "", "print the `POLICY` with rules that allow, or deny, exactly the lines: "+logs.TargetHelp)
	cmd.Flags().StringVar(&p.action, "action", "allow", "with --propose: the `ACTION` of the rules, allow or deny")
	command.CompleteFlag(cmd, "action", command.FixedWords("allow", "deny"))
}

func (p *proposalFlags) checkFlags() error {
	if _, ok := proposedActions[p.action]; !ok {
		return fmt.Errorf("--action %q: use allow or deny", p.action)
	}
	return nil
}

var proposedActions = map[string]model.Action{"allow": model.Allow, "deny": model.Deny}

func printProposal(ctx context.Context, a *command.App, e *engine.Engine, p *proposalFlags, tail func(take func(*logs.Entry)) error) error {
	t, err := logs.ParseTarget(e.Revision(), p.policy, proposedActions[p.action])
	if err != nil {
		return fmt.Errorf("--propose: %w", err)
	}
	var attributed []*logs.Entry
	if err := tail(func(x *logs.Entry) { attributed = append(attributed, x) }); err != nil {
		return err
	}
	log := logs.ConnectionsOf(attributed, logline.MostSeen)
	if log.LeftOut > 0 {
		return fmt.Errorf("--propose: %w", logline.ErrTooMany)
	}
	made, err := logs.MakeProposal(context.WithoutCancel(ctx), e.Revision(), t, log.Connections)
	if err != nil {
		if made != nil && made.Proposal != nil {
			a.Say(logs.LeftTexts(made.Left)...)
		}
		return fmt.Errorf("--propose: %w", err)
	}
	if !made.Surplus.IsExact() { // important if the output is redirected to a file
		a.Say(made.Surplus.Text())
	}
	a.Say(made.MissedTexts()...)
	ans := proposalAnswer(made)
	if a.Flags.Output == "yaml" { // the manifest is YAML
		_, err := fmt.Fprint(a.Out, ans.Text(false))
		return err
	}
	return a.PrintAnswer(ans)
}

type proposalOut struct {
	Policy   string `json:"policy"`
	New      bool   `json:"new"`
	Priority *int32 `json:"priority,omitempty"` // of a new policy
	Action   string `json:"action"`
	Lines    int    `json:"lines"`
	Rules    int    `json:"rules"`
	// Connections beyond the lines that the rules would allow or deny too, or nil. Summary describes them.
	Surplus *surplusOut         `json:"surplus,omitempty"`
	Summary string              `json:"summary"`
	Still   []remainingLinesOut `json:"still"`
	Left    []linesLeftOut      `json:"left"`
	Text    string              `json:"text"`
}

type surplusOut struct {
	Pairs   int                 `json:"pairs"`
	From    verdict.Ends        `json:"from"`
	To      verdict.Ends        `json:"to"`
	Ports   []verdict.PortRange `json:"ports"`
	Example verdict.Connection  `json:"example"`
}

type remainingLinesOut struct {
	Verdict verdict.Verdict `json:"verdict"`
	By      string          `json:"by"`
	Lines   int             `json:"lines"`
	Example string          `json:"example"`
}

type linesLeftOut struct {
	Why     string `json:"why"`
	Lines   int    `json:"lines"`
	Example string `json:"example"`
}

func proposalAnswer(p *logs.Proposal) *command.Answer {
	out := proposalOut{Policy: p.Policy.String(), New: p.New, Action: strings.ToLower(string(p.Action)), Lines: p.Lines, Rules: len(p.Rules),
		Text:    p.Text,
		Summary: p.Surplus.Text(),
		Still: page.MapList(p.Kept, func(s logs.KeptVerdict) remainingLinesOut {
			return remainingLinesOut{s.Verdict, s.By, s.Lines, s.Example.String()}
		}),
		Left: page.MapList(p.Left, func(l logline.LeftLines) linesLeftOut { return linesLeftOut{l.Reason, l.Lines, l.Example.String()} })}
	if p.New {
		out.Priority = &p.Priority
	}
	if g := p.Surplus.FlipGroup; g != nil {
		out.Surplus = &surplusOut{g.Pairs, g.From, g.To, g.Ports, g.Example}
	}
	return &command.Answer{Value: out, Text: func(bool) string {
		var b strings.Builder
		for _, n := range p.Notes() {
			fmt.Fprintf(&b, "# %s\n", words.CleanLine(n))
		}
		return b.String() + p.Text
	}}
}
