package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"rung/cli/command"
	"rung/engine"
	"rung/engine/lab"
	"rung/engine/trace"
	"rung/model"
	"rung/model/verdict"
	pages "rung/pages/trace"
	"rung/revision"
)

func ProbeCommand(a *command.App) *cobra.Command {
	var one trace.Question
	var cases string
	cmd := &cobra.Command{
		Use:   "probe [FROM TO [PORT]]",
		Short: "Send a connection as packets through a sandbox on OVN, and show the result",
		Long: `Start the sandbox of -f on OVN, send a connection as packets in both directions, and
show what OVN did with them, by which rule, next to the verdicts of rows and policies.
Ends are given as for rung trace. Exit 1 if packets, rows and policies disagree. OVN
23.06 or newer is searched in PATH; --sandbox-ovn DIR names its folder.

--cases takes a JSON array of {"from","to","protocol","port","ip_version","network"} and
prints an array of answers in the same order. Flags fill in missing fields of a case.`,
		Example: `  rung probe blue/api-d0 red/web-f0 8080 -f examples/
  rung probe blue/api-d0 service/kube-system/kube-dns 53/udp -f examples/ --sandbox-ovn /opt/ovn`,
		Args: takesQuestion,
		RunE: func(cmd *cobra.Command, args []string) error {
			asked, err := readQuestions(a, cmd, args, one, cases)
			if err != nil {
				return err
			}
			return runProbe(cmd.Context(), a, asked, cases)
		},
	}
	addQuestionFlags(a, cmd, &one, &cases)
	return cmd
}

// runProbe starts the sandbox, sends the requested packets, and prints the results.
func runProbe(ctx context.Context, a *command.App, asked []trace.Question, file string) error {
	var bad CaseErrors
	for i, q := range asked { // before OVN is started
		if err := checkQuestion(q); err != nil && file == "" {
			return err
		} else if err != nil {
			bad.addError(file, i, err)
		}
	}
	if err := bad.asError(); err != nil {
		return err
	}
	cfg, err := a.EngineConfig(ctx, false, true)
	box, _ := cfg.Sandbox.(*lab.Lab)
	switch {
	case err != nil:
		return err
	case box == nil:
		return errors.New("packets are only sent in a sandbox: give manifests with -f, without --nb")
	case box.OVN == lab.OVNOff:
		return errors.New("--sandbox-ovn off: a probe needs OVN")
	}
	if err := lab.CheckOVN(ctx, box.OVN); err != nil {
		return fmt.Errorf("a probe needs OVN: %w; --sandbox-ovn DIR names its folder", err)
	}
	box.Traffic, box.Churn, cfg.Mode.Simulated = 0, 0, false
	return a.WithConfig(ctx, cfg, command.ZonesSettled(), func(e *engine.Engine, r *revision.Revision) error {
		if r.Mode.OVN == "" {
			return whyWithoutOVN(e)
		}
		ans, err := probeAnswer(ctx, a, e, asked, file)
		if err != nil {
			return err
		}
		return a.ConcludeAnswer(ans)
	})
}

// whyWithoutOVN returns the reason why the sandbox does not run on OVN.
func whyWithoutOVN(e *engine.Engine) error {
	for _, done := range e.Activity(0) {
		if done.By == "sandbox" && strings.Contains(done.Summary, "without OVN") {
			return errors.New("a probe needs OVN, but the sandbox " + done.Summary)
		}
	}
	return errors.New("a probe needs OVN, but the sandbox runs without it")
}

// probeAnswer sends one question, or the questions of a file.
func probeAnswer(ctx context.Context, a *command.App, e *engine.Engine, asked []trace.Question, file string) (*command.Answer, error) {
	out, disagree := make([]*probeOut, 0, len(asked)), false
	var notes omissionsBuilder
	for i, q := range asked {
		o, err := sendProbe(ctx, e, q)
		switch {
		case err != nil && file == "":
			return nil, err
		case err != nil:
			var bad CaseErrors
			bad.addError(file, i, err)
			return nil, bad
		}
		omits := notes.addAnswer(&o.verdictOut)
		if file != "" {
			o.NotConsidered = a.OmissionsOut(omits)
		}
		out, disagree = append(out, o), disagree || len(o.Findings) > 0
	}
	ans := answerToQuestions(out, file)
	ans.No, ans.NotConsidered = disagree, notes.allOmissions(len(asked))
	return ans, nil
}

// checkQuestion checks a question independently of the cluster.
func checkQuestion(q trace.Question) error {
	if trace.IsBareName(q.From) || trace.IsBareName(q.To) {
		return nil // the names cannot be resolved yet
	}
	c, err := resolveConnection(q, nil)
	if err != nil {
		return err
	}
	return c.CheckQuestion()
}

func sendProbe(ctx context.Context, e *engine.Engine, q trace.Question) (*probeOut, error) {
	c, err := resolveConnection(q, trace.NewEndNames(e.Revision().Cluster, e.Revision()))
	if err != nil {
		return nil, err
	}
	result, err := e.Probe(ctx, c, nil)
	if err != nil {
		return nil, err
	}
	out := newProbeOut(q, result)
	// The sandbox's rows follow the policies, so they share the omissions of the policies' answer.
	out.trace = &trace.Trace{Connection: result.Connection, Verdict: result.Policies.Verdict, Reason: result.Policies.Reason,
		NotConsidered: revision.NewFilter(e.Revision(), true).OmissionsChanging(&result.Policies)}
	if p := &result.Packets; p.Verdict == verdict.NotApplicable && result.Policies.Verdict != verdict.NotApplicable {
		out.trace.NotConsidered = append(out.trace.NotConsidered, model.Omission{Code: model.OmittedPart, Why: "no packet was sent: " + p.Reason})
	}
	return out, nil
}

// probeOut is the JSON of `rung probe` (command-line.md#output): the packets' verdict in the form of `rung
// trace`, with the verdicts of rows and policies.
type probeOut struct {
	verdictOut
	Policies *pages.VerdictFacts `json:"policies"`
	OVN      string              `json:"ovn"`
	Packets  []packetOut         `json:"packets"`
	Findings []probeFindingOut   `json:"findings"`

	result *trace.Result
}

// packetOut is one packet in one zone.
type packetOut struct {
	Packet    string               `json:"packet"`
	To        string               `json:"to,omitempty"` // the endpoint if the destination is a Service
	Reply     bool                 `json:"reply"`
	Zone      string               `json:"zone"`
	In        string               `json:"in"`
	Out       []string             `json:"out"`
	Delivered bool                 `json:"delivered"`
	Met       []pages.DeciderFacts `json:"met"`
}

type probeFindingOut struct {
	revision.Brief
	Zone   string `json:"zone,omitempty"`
	Remedy string `json:"remedy,omitempty"`
}

func newProbeOut(q trace.Question, r *trace.Result) *probeOut {
	out := &probeOut{verdictOut: verdictOut{VerdictFacts: pages.FactsOfAnswer(q, &r.Packets)}, Policies: pages.FactsOfAnswer(q, &r.Policies),
		OVN:     r.OVN,
		Packets: []packetOut{}, result: r}
	out.Findings = model.MapList(r.Findings, func(f model.Finding) probeFindingOut {
		return probeFindingOut{revision.NewBrief(f), f.Zone, f.Remedy}
	})
	out.Rows = pages.FactsOfAnswer(q, &r.Rows)
	for i := range r.Sent {
		for j := range r.Sent[i] {
			s := &r.Sent[i][j]
			p := packetOut{Packet: s.Packet, Reply: s.Reply, Zone: s.Zone, In: s.EntryPort, Out: append([]string{}, s.ExitPorts...),
				Delivered: s.Delivered,
				Met:       model.MapList(s.Met, func(m trace.MetACL) pages.DeciderFacts { return pages.FactsOfDecider(&m.Decider) })}
			if len(r.Sent) > 1 {
				p.To = r.Packets.Paths[i].To.Endpoint.String()
			}
			out.Packets = append(out.Packets, p)
		}
	}
	return out
}

// WriteText prints the answer: one line if brief, else the path of the packets.
func (o *probeOut) WriteText(b *strings.Builder, wide, brief bool) {
	r := o.result
	fmt.Fprintf(b, "%s: %s", r.Connection, trace.VerdictWord(o.Verdict))
	if o.Reason != "" {
		fmt.Fprintf(b, " (%s)", o.Reason)
	}
	b.WriteString(" · " + r.Agreement() + "\n")
	if brief {
		return
	}
	for _, f := range o.Findings {
		fmt.Fprintf(b, "%s\n  → %s\n", f.Message, f.Remedy)
	}
	for i := range r.Packets.Paths {
		p := &r.Packets.Paths[i]
		if len(r.Packets.Paths) > 1 {
			fmt.Fprintf(b, "\nto %s: %s\n", p.To.Endpoint, strings.TrimSpace(trace.VerdictWord(p.Verdict)+" "+p.Reason))
		}
		if len(r.Sent[i]) > 0 {
			b.WriteString("\n" + o.stagesText(i, wide) + "\n" + o.packetsText(i))
		}
	}
}

// stagesText returns a table of the stages that the first packet passed on a path; without wide, only of
// stages that decided something.
func (o *probeOut) stagesText(path int, wide bool) string {
	r := o.result
	t := &command.TextTable{Head: []string{"STAGE", "ZONE", "VERDICT", "DECIDED BY", "BY ROWS", "BY POLICIES"}}
	for i := range r.Packets.Paths[path].Stages {
		s, rows, policies := &r.Packets.Paths[path].Stages[i], &r.Rows.Paths[path].Stages[i], &r.Policies.Paths[path].Stages[i]
		if !wide && !r.IsDecided(path, i) {
			continue
		}
		word, by := string(s.Verdict), trace.StageDeciderText(s)
		if s.Verdict == verdict.NotApplicable {
			word, by = "–", s.Reason
		}
		t.AddRow(s.Name(), s.Zone, word, by, otherDecision(s, rows), otherDecision(s, policies))
	}
	return t.String()
}

// otherDecision returns the decision of rows or policies at a stage, or "the same" if the packets got that
// decision.
func otherDecision(packets, other *verdict.StageVerdict) string {
	if trace.SameRule(packets.Decided, other.Decided) && packets.Verdict == other.Verdict {
		return "the same"
	}
	return strings.TrimSpace(string(other.Verdict) + " · " + trace.StageDeciderText(other))
}

func (o *probeOut) packetsText(path int) string {
	t := &command.TextTable{Head: []string{"PACKET", "ZONE", "IN", "OUT", "", "MET"}}
	for i := range o.result.Sent[path] {
		s := &o.result.Sent[path][i]
		word := trace.Dropped
		if s.Delivered {
			word = trace.Delivered
		}
		met := model.MapList(s.Met, func(m trace.MetACL) string { return trace.RuleName(&m.Decider) })
		t.AddRow(s.Packet, s.Zone, s.EntryPort, cmp.Or(strings.Join(s.ExitPorts, " "), "–"), word, strings.Join(met, ", "))
	}
	return t.String()
}
