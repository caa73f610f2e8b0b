package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"rung/cli/command"
	"rung/engine"
	"rung/engine/logs"
	"rung/model"
	"rung/model/logline"
	"rung/model/verdict"
	"rung/model/words"
	"rung/pages/page"
	"rung/revision"
)

// streamsWithin limits the wait for streams of the nodes' logs.
const streamsWithin = 10 * time.Second

func logsWhy(ctx context.Context, a *command.App, name string) error {
	cfg, err := a.EngineConfig(ctx, false, true)
	if err != nil {
		return err
	}
	if paths := a.Flags.Log.Paths; len(paths) > 0 {
		cfg.LogFiles = logs.Files{Stdin: a.In, Only: true}
		if err := a.Flags.Log.SetLogFiles(ctx, &cfg); err != nil {
			return err
		}
	}
	// A one-shot command must not take zones from the process that keeps them.
	cfg.Reconcile, cfg.Mode.Reconciles = false, cfg.Mode.Sandbox
	done := command.ZonesSettled()
	known := func(r *revision.Revision) bool { // a cluster's zones may be out of reach
		return len(r.Zones) == 0 && (r.Mode.Name == revision.ClusterMode || r.Cluster.Count(model.KindNode) == 0) || done(r)
	}
	return a.WithConfig(ctx, cfg, known, func(e *engine.Engine, r *revision.Revision) error {
		k, err := command.PolicyNamed(r, name)
		if err != nil {
			return err
		}
		e.Logs().AskForLines()
		if len(cfg.LogFiles.Paths) > 0 {
			select {
			case <-e.Logs().EndOfLines():
			case <-ctx.Done():
			}
		} else {
			streamsSettle(ctx, a, e)
		}
		about := logs.Subject{Policy: k}
		checks := append(logs.CheckSteps(e.Logs(), e.Revision(), about), logs.OverruledChecks(ctx, e.Revision(), about)...)
		return a.ConcludeAnswer(&command.Answer{
			Value:         checks,
			Text:          func(bool) string { return strings.Join(model.MapList(checks, logs.Check.TextLine), "\n") + "\n" },
			No:            slices.ContainsFunc(checks, func(c logs.Check) bool { return c.State == logs.Wrong }),
			NotConsidered: revision.OmissionsOfPolicy(e.Revision(), k),
		})
	})
}

// streamsSettle waits until every stream of a cluster's logs is open or has an error, at most streamsWithin.
func streamsSettle(ctx context.Context, a *command.App, e *engine.Engine) {
	if e.Revision().Mode.Name != revision.ClusterMode {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, streamsWithin)
	defer cancel()
	for ctx.Err() == nil {
		streams := e.Logs().Streams()
		opening := len(streams) == 0
		for i := range streams {
			opening = opening || !streams[i].IsUp() && streams[i].Error == ""
		}
		if !opening {
			return
		}
		command.Pause(ctx, command.WatchPause)
	}
}

// controllerLineOut is a line of an ovnkube-controller about a policy.
type controllerLineOut struct {
	At       string `json:"at"`
	Zone     string `json:"zone"`
	Policy   string `json:"policy"`
	Severity string `json:"severity,omitempty"`
	Place    string `json:"place,omitempty"`
	Text     string `json:"text"`
}

// controllerLog prints what a zone's ovnkube-controller wrote about a policy.
func controllerLog(ctx context.Context, a *command.App, zone, name string) error {
	cfg, err := a.EngineConfig(ctx, false, false)
	if err != nil {
		return err
	}
	if cfg.Kube == nil {
		return logs.ErrNotOnCluster
	}
	loaded := func(*revision.Revision) bool { return true }
	return a.WithConfig(ctx, cfg, loaded, func(e *engine.Engine, r *revision.Revision) error {
		k, err := command.PolicyNamed(r, name)
		if err != nil {
			return err
		}
		if r.Cluster.Node(zone) == nil {
			return fmt.Errorf("no node %q; nodes: %s", zone, command.NodeNames(r.Cluster))
		}
		log, err := e.ControllerLog(ctx, zone, k)
		if err != nil {
			return err
		}
		if !a.Flags.Quiet {
			fmt.Fprintf(a.Err, "rung: %s of the newest %s lines of %s mention %s\n", words.Thousands(len(log.Lines)), words.Thousands(log.Read),
				log.Source,
				k.Label())
		}
		for _, l := range log.Lines {
			o := controllerLineOut{At: page.StampText(l.At), Zone: zone, Policy: k.String(), Severity: l.Severity, Place: l.Place,
				Text: l.Text}
			if err := a.PrintItem(o, func(bool) string {
				return fmt.Sprintf("%s  %-7s %s  %s\n", o.At, l.Severity, l.Place, l.Text)
			}); err != nil {
				return err
			}
		}
		return nil
	})
}

// proposalFlags are the flags with which rung logs proposes rules for its lines instead of printing them.
type proposalFlags struct{ policy, action string }

func (p *proposalFlags) register(cmd *cobra.Command) {
	cmd.Flags().StringVar(&p.policy, "propose", "", "print the `POLICY` with rules that allow, or deny, exactly the lines: "+logs.TargetHelp)
	cmd.Flags().StringVar(&p.action, "action", "allow", "with --propose: the `ACTION` of the rules, allow or deny")
	command.CompleteFlag(cmd, "action", command.FixedWords("allow", "deny"))
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
	log := logs.ListConnections(attributed, logline.MostSeen)
	if log.LeftOut > 0 {
		return fmt.Errorf("--propose: %w", logline.ErrTooMany)
	}
	made, err := logs.MakeProposal(context.WithoutCancel(ctx), e.Revision(), t, log.Connections)
	if err != nil {
		if made != nil && made.Proposal != nil {
			a.PrintNotice(logs.LeftTexts(made.Left)...)
		}
		return fmt.Errorf("--propose: %w", err)
	}
	if !made.Surplus.IsExact() { // important if the output is redirected to a file
		a.PrintNotice(made.Surplus.Text())
	}
	a.PrintNotice(made.MissedTexts()...)
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
		Still: model.MapList(p.Kept, func(s logs.KeptVerdict) remainingLinesOut {
			return remainingLinesOut{s.Verdict, s.By, s.Lines, s.Example.String()}
		}),
		Left: model.MapList(p.Left, func(l logline.LeftLines) linesLeftOut { return linesLeftOut{l.Reason, l.Lines, l.Example.String()} })}
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
