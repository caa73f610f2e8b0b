package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"rung/cli/command"
	"rung/engine"
	"rung/model"
	"rung/model/ovn/flow"
	"rung/model/words"
	"rung/revision"
)

func ExplainCommand(a *command.App) *cobra.Command {
	return &cobra.Command{
		Use:   "explain FILE|TEXT",
		Short: "Name the policies and rules that an ovn-trace hit, or that a name in OVN means",
		Long: `Read the output of ovn-trace or ovnkube-trace, from a file or standard input (-). Name
the policy, direction and rule of each ACL that the packet hit, and the decision of each
stage. Rows come from --nb; missing ones are compiled from the policies of -f or of the
cluster.

ovn-trace's detailed form (its default) names every ACL; other forms name only ACLs that
log. ovnkube-trace prints its traces with -loglevel 2. Unknown lines are counted and
shown.

A TEXT that is no file is explained by the names in it: hashed names of port groups and
address sets, as in a line of ovn-controller; an id (k8s.ovn.org/id) or _uuid; records
of ovn-nbctl list acl, also from a file; or the code of a finding.`,
		Example: `  ovn-trace --ct new ovn-worker 'inport == "red_canary-0" && …' | rung explain - -f examples/
  ovnkube-trace -loglevel 2 … 2>&1 | rung explain - --context staging
  rung explain trace.txt --nb ovn-worker=unix:/run/nb.sock -o json
  rung explain 'Syntax error at "@a9550609891683691927" expecting port group name' --context staging
  rung explain closed-to-all`,
		Args:              cobra.MinimumNArgs(1),
		ValidArgsFunction: command.FileCompleter(),
		RunE: func(cmd *cobra.Command, args []string) error {
			text, err := readTrace(cmd.Context(), a, args[0])
			switch {
			case err == nil && len(args) > 1:
				return fmt.Errorf("explain takes one file, or a text; quote a text: got %s", words.Count(len(args), "argument"))
			case err != nil: // no file, or too long for the name of one
				text = []byte(strings.Join(args, " "))
			}
			names, pasted, badList := namesIn(string(text))
			report := flow.Parse(string(text))
			isTrace := len(report.Traces)+len(report.Results)+len(report.Problems) > 0
			switch {
			case !isTrace && len(names)+len(pasted) > 0:
				return explainNames(cmd.Context(), a, string(text), names, pasted)
			case badList != nil && !isTrace && err == nil:
				return fmt.Errorf("%s: %w", traceSourceName(args[0]), badList)
			case err != nil:
				return err
			case !isTrace:
				return fmt.Errorf("no ovn-trace in %s: %s", traceSourceName(args[0]), whyNoTrace(report))
			}
			a.Flags.RowsOnly = true
			return a.AnswerQuery(cmd.Context(), false, command.Query{Zones: a.Flags.HasDatabases(cmd.Context()),
				Answer: func(_ context.Context, _ *engine.Engine, r *revision.Revision) (*command.Answer, error) {
					out := newExplainOut(r, report)
					return &command.Answer{Value: out, Text: func(wide bool) string { return out.explainText(wide) },
						NotConsidered: unexplainedOmissions(r),
						Err:           errors.Join(command.UnreadZone(r.Zones), out.whyUndecided())}, nil
				}})
		},
	}
}

// unexplainedOmissions returns the omissions that can keep a rule from being named: objects rejected or not
// read, and the lack of both policies and zones.
func unexplainedOmissions(r *revision.Revision) []model.Omission {
	out := revision.OmissionsOfObjects(r)
	if len(r.Zones) == 0 && !hasPolicies(r) {
		out = append(out, model.Omission{Code: model.OmittedAll, Why: "the ACLs cannot be named: no policies and no zone were read"})
	}
	return out
}

// readTrace reads the text to explain.
func readTrace(ctx context.Context, a *command.App, path string) ([]byte, error) {
	if path == "-" && slices.Contains(a.Flags.Files, "-") {
		return nil, errors.New("-f - and explain - cannot both read standard input; put one of them in a file")
	}
	text, err := a.ReadGiven(ctx, path, flow.MaxInput)
	if err != nil {
		return nil, fmt.Errorf("read the trace from %s: %w", traceSourceName(path), err)
	}
	return text, nil
}

func traceSourceName(path string) string {
	if path == "-" {
		return "standard input"
	}
	return path
}

// whyNoTrace says what the text holds instead of a trace.
func whyNoTrace(r *flow.Report) string {
	switch {
	case r.Lines == 0:
		return "it is empty"
	case len(r.UnparsedLines) > 0:
		return fmt.Sprintf("line %d is %q", r.UnparsedLines[0].Number, r.UnparsedLines[0].Text)
	}
	return "only lines of other programs; ovnkube-trace prints its traces with -loglevel 2"
}

// explainOut is the JSON of `rung explain` (command-line.md#output).
type explainOut struct {
	Traces        []traceOut    `json:"traces"`
	Results       []flow.Result `json:"results"` // printed by ovnkube-trace
	Problems      []string      `json:"problems"`
	Lines         int           `json:"lines"`
	Other         int           `json:"other_programs"`
	Unknown       int           `json:"unknown"`
	UnparsedLines []flow.Line   `json:"unknown_lines"` // the first few
}

type traceOut struct {
	Title    string      `json:"title,omitempty"`
	Line     int         `json:"line"`
	Form     flow.Form   `json:"form"`
	Protocol string      `json:"protocol,omitempty"`
	From     traceEndOut `json:"from"`
	To       traceEndOut `json:"to"`
	End      flow.Ending `json:"end"`
	// Ports by which the packet leaves, or the stage that dropped it.
	At       []string        `json:"at"`
	Stages   []traceStageOut `json:"stages"`
	Notes    []string        `json:"notes"`
	Problems []string        `json:"problems"`
}

type traceEndOut struct {
	Address string `json:"address,omitempty"`
	Port    int    `json:"port,omitempty"`
	Who     string `json:"who,omitempty"` // pod or node
}

type traceStageOut struct {
	Stage    model.Stage `json:"stage,omitempty"`
	Datapath string      `json:"datapath,omitempty"`
	Port     string      `json:"port,omitempty"` // logical port
	// allow, drop, reject, or none if no ACL decided, which lets the packet through.
	Verdict string `json:"verdict"`
	// OVN's own flow that decided, or would have.
	Own string        `json:"own,omitempty"`
	Met []traceMetOut `json:"acls"`
}

type traceMetOut struct {
	Verdict  string           `json:"verdict"` // also pass
	Tier     *int             `json:"tier,omitempty"`
	Priority *int             `json:"priority,omitempty"`
	Packets  string           `json:"packets,omitempty"` // packets the flow is for
	Flow     string           `json:"flow,omitempty"`    // first eight hex digits of its UUID
	Log      *flow.Log        `json:"log,omitempty"`     // without its verdict
	FoundBy  revision.FoundBy `json:"found_by"`          // row, compiled, name, place; empty: not found
	Rules    []traceRuleOut   `json:"rules"`
	// Set if this form of trace does not identify the ACL.
	Unnamed bool `json:"unnamed,omitempty"`
}

type traceRuleOut struct {
	Owner     string `json:"owner"`
	Policy    string `json:"policy,omitempty"`
	Direction string `json:"direction,omitempty"`
	Rule      *int   `json:"rule,omitempty"`
	RuleName  string `json:"rule_name,omitempty"`
	Zone      string `json:"zone,omitempty"`
	UUID      string `json:"uuid,omitempty"`
	Match     string `json:"match"`

	label string
}

// newExplainOut names the policies and rules of a report.
func newExplainOut(r *revision.Revision, report *flow.Report) *explainOut {
	out := &explainOut{Traces: []traceOut{}, Problems: append([]string{}, report.Problems...), Lines: report.Lines,
		Other: report.Other, Unknown: report.Unknown,
		Results: append([]flow.Result{}, report.Results...), UnparsedLines: append([]flow.Line{}, report.UnparsedLines...)}
	finder := revision.NewRuleFinder(r)
	for _, t := range report.Traces {
		x := traceOut{Title: t.Title, Line: t.Line, Form: t.Form, Protocol: t.Packet.Proto, Stages: []traceStageOut{},
			Notes: []string{}, Problems: append([]string{}, t.Problems...),
			From: traceEnd(r, t.Packet.Src, t.Packet.SrcPort), To: traceEnd(r, t.Packet.Dst, t.Packet.DstPort)}
		end, at := t.EndOfTrace()
		x.End, x.At = end, append([]string{}, at...)
		var established []string
		for _, d := range t.Decisions() {
			stage := traceStageOut{Stage: d.Stage, Datapath: d.Pass.Datapath, Port: d.Pass.Inport,
				Verdict: cmp.Or(d.Verdict, "none"), Own: d.Own,
				Met: model.MapList(d.Met, func(m *flow.MetFlow) traceMetOut { return traceMet(m, finder.FindBehind(d, m)) })}
			if d.Pass.Pipeline == "egress" {
				stage.Port = d.Pass.Outport
			}
			if strings.Contains(d.Pass.Connection, "est") && !slices.Contains(established, stage.Port) {
				established = append(established, stage.Port)
			}
			x.Stages = append(x.Stages, stage)
		}
		if len(established) > 0 {
			x.Notes = append(x.Notes, fmt.Sprintf("traced as an established connection at %s; for a new one give ovn-trace --ct new, once for "+
				"each switch",
				words.ListSome(established, 3)))
		}
		if t.Form != flow.Detailed {
			x.Notes = append(x.Notes, fmt.Sprintf("the %s form names only ACLs that log; the detailed form names all", t.Form))
		}
		out.Traces = append(out.Traces, x)
	}
	return out
}

// whyUndecided returns an error that names the traces without a stage of ACLs, which say nothing about
// policies.
func (o *explainOut) whyUndecided() error {
	var at []string
	for _, t := range o.Traces {
		if len(t.Stages) == 0 {
			at = append(at, fmt.Sprint(t.Line))
		}
	}
	if len(at) == 0 {
		return nil
	}
	return fmt.Errorf("the trace at line %s reaches no stage of ACLs: it shows no decision of policies", words.ListSome(at, 3))
}

func traceEnd(r *revision.Revision, a netip.Addr, port int) (out traceEndOut) {
	if !a.IsValid() {
		return out
	}
	out.Address, out.Port = a.String(), port
	if owners := r.AddressOwners(a.String()); len(owners) > 0 {
		out.Who = string(owners[0].Key.Kind) + "/" + strings.TrimPrefix(owners[0].Key.Namespace+"/"+owners[0].Key.Name, "/")
	}
	return out
}

func traceMet(m *flow.MetFlow, b revision.RulesBehindFlow) traceMetOut {
	out := traceMetOut{Verdict: m.Verdict, FoundBy: b.FoundBy, Rules: []traceRuleOut{}, Unnamed: m.Unnamed}
	if m.Step != nil {
		tier := max(0, m.Tier)
		out.Tier, out.Priority, out.Flow, out.Packets = &tier, &m.Priority, m.Step.UUID, m.Hint.String()
	}
	if m.Log != nil {
		out.Log = &flow.Log{Name: m.Log.Name, Severity: m.Log.Severity, Meter: m.Log.Meter}
	}
	for _, x := range b.Rules {
		rule := traceRuleOut{Owner: x.Owner.Label(), Direction: x.Direction.Lower(), RuleName: x.RuleName, Zone: x.Zone,
			UUID: x.ACL.UUID, Match: x.ACL.Match, label: x.Owner.Label()}
		if x.Policy != (model.PolicyKey{}) {
			rule.Policy = x.Policy.String()
			if x.Rule >= 0 {
				rule.Rule = &x.Rule
				rule.label = x.Policy.Label() + " " + revision.RuleLabel(x.Direction, x.Rule, x.RuleName)
			}
		}
		out.Rules = append(out.Rules, rule)
	}
	return out
}

var verbs = map[string]string{"allow": "allowed", "drop": "dropped", "reject": "rejected", "pass": "passed on", "none": "–"}

func verdictVerb(verdict string) string { return cmp.Or(verbs[verdict], verdict) }

func (o *explainOut) explainText(wide bool) string {
	var b strings.Builder
	for i := range o.Traces {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(o.Traces[i].traceText(wide))
	}
	section := func(head string, lines []string) {
		if len(lines) > 0 {
			if b.Len() > 0 {
				b.WriteByte('\n')
			}
			b.WriteString(head + "\n  " + strings.Join(lines, "\n  ") + "\n")
		}
	}
	section("ovnkube-trace says", model.MapList(o.Results, func(x flow.Result) string {
		mark := words.Yes
		if !x.Success {
			mark = words.No
		}
		return fmt.Sprintf("%s %s: %s → %s", mark, x.What, x.From, x.To)
	}))
	section("The programs say", o.Problems)
	if o.Unknown > 0 {
		lines := model.MapList(o.UnparsedLines, func(x flow.Line) string { return fmt.Sprintf("line %d: %s", x.Number, x.Text) })
		if more := o.Unknown - len(o.UnparsedLines); more > 0 {
			lines = append(lines, fmt.Sprintf("and %s more", words.Thousands(more)))
		}
		section(fmt.Sprintf("Not understood: %s of %s", words.Thousands(o.Unknown), words.Count(o.Lines, "line")), lines)
	}
	return b.String()
}

func (t *traceOut) traceText(wide bool) string {
	s := ""
	if t.Title != "" {
		s = t.Title + "\n"
	}
	s += t.headlineText() + "\n\n"
	table := &command.TextTable{Head: []string{"STAGE", "PORT", "VERDICT", "TIER", "PRIO", "BY"}}
	if wide {
		table.Head = append(table.Head, "FLOW", "PACKETS", "LOG", "MATCH")
	}
	for i := range t.Stages {
		x := &t.Stages[i]
		stage, port := cmp.Or(string(x.Stage), "–"), x.Port
		last := ""
		for j := range x.Met {
			table.AddRow(x.Met[j].metCells(stage, port, wide)...)
			stage, port, last = "", "", x.Met[j].Verdict
		}
		if last != x.Verdict {
			by := "no ACL decides: allowed"
			if x.Verdict != "none" && x.Own != "" {
				by = x.Own
			}
			cells := []string{stage, port, verdictVerb(x.Verdict), "", "", by}
			if wide {
				cells = append(cells, "", "", "", "")
			}
			table.AddRow(cells...)
		}
	}
	if len(table.Rows) > 0 {
		s += table.String()
	} else {
		s += "no stage of ACLs in this trace\n"
	}
	for _, n := range append(append([]string{}, t.Notes...), t.Problems...) {
		s += n + "\n"
	}
	return s
}

func (m *traceMetOut) metCells(stage, port string, wide bool) []string {
	number := func(n *int) string {
		if n == nil {
			return ""
		}
		return fmt.Sprint(*n)
	}
	by := m.ruleNames()
	if m.Log != nil && m.Log.Severity != "" {
		by += ", logged as " + m.Log.Severity
	}
	cells := []string{stage, port, verdictVerb(m.Verdict), number(m.Tier), number(m.Priority), by}
	if wide {
		log, match := "", ""
		if m.Log != nil {
			log = m.Log.Name
		}
		if len(m.Rules) > 0 {
			match = m.Rules[0].Match
		}
		cells = append(cells, m.Flow, m.Packets, log, match)
	}
	return cells
}

func (m *traceMetOut) ruleNames() string {
	names := model.MapList(m.Rules, func(x traceRuleOut) string { return x.label })
	switch {
	case m.Unnamed:
		return "not named: an ACL that does not log, or a flow of OVN's own"
	case len(names) == 0 && m.Log != nil && m.Log.Name != "":
		return m.Log.Name + " (no such row here)"
	case len(names) == 0:
		return "an ACL without a row here"
	case len(names) > 1:
		return "one of: " + words.JoinAtMost(names, "; ", 3)
	case m.FoundBy == revision.ByPlace:
		return names[0] + " (by tier and priority; its match differs here)"
	}
	return names[0]
}

// headlineText describes the packet and what happened to it.
func (t *traceOut) headlineText() string {
	end := func(e traceEndOut) string {
		if e.Address == "" {
			return "?"
		}
		s := e.Address
		if e.Port != 0 {
			s = netip.AddrPortFrom(netip.MustParseAddr(e.Address), uint16(e.Port)).String()
		}
		if e.Who != "" {
			_, name, _ := strings.Cut(e.Who, "/")
			s = name + " (" + s + ")"
		}
		return s
	}
	s := ""
	if t.From.Address != "" || t.To.Address != "" {
		s = strings.TrimSpace(t.Protocol+" "+end(t.From)+" → "+end(t.To)) + ": "
	}
	return s + t.endingText()
}

func (t *traceOut) endingText() string {
	switch t.End {
	case flow.EndDelivered:
		return "delivered to " + words.ListSome(t.At, 3)
	case flow.EndRemote:
		return "leaves for another zone by " + words.ListSome(t.At, 3) + "; the receiving zone decides on arrival"
	case flow.EndLost:
		if len(t.At) == 0 {
			return "dropped by OVN, not by an ACL"
		}
		return "dropped by OVN, not by an ACL, in " + words.ListSome(t.At, 3)
	case flow.EndDropped, flow.EndRejected:
		for i := len(t.Stages) - 1; i >= 0; i-- {
			x := &t.Stages[i]
			if n := len(x.Met); n > 0 && (x.Verdict == "drop" || x.Verdict == "reject") && x.Met[n-1].Verdict == x.Verdict {
				return verdictVerb(x.Verdict) + " by " + x.Met[n-1].ruleNames()
			}
		}
		return string(t.End) + " by OVN"
	}
	return "the trace does not show its end"
}
