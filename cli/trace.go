package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/util/validation"

	"rung/cli/command"
	"rung/engine"
	"rung/engine/trace"
	"rung/model"
	"rung/model/verdict"
	pages "rung/pages/trace"
	"rung/revision"
)

// Values of --by.
const (
	byPolicies        = "policies"
	byRows            = "rows"
	byPoliciesAndRows = "both"
)

func TraceCommand(a *command.App) *cobra.Command {
	var one trace.Question
	var cases, by string
	var ovn bool
	var asIf []string
	var cmd *cobra.Command
	cmd = a.QueryCommand(&cobra.Command{
		Use:   "trace [FROM TO [PORT]]",
		Short: "Show whether a connection is allowed, and which rule decides",
		Long: `Show whether a connection is allowed, and which rule decides, stage by stage and tier by
tier. An end is a pod (NAMESPACE/NAME), an address, node/NAME, or with --to a Service
(service/NAMESPACE/NAME) or its address, for which every endpoint is asked. A unique
name is enough; -n names its namespace, svc/NAME or deploy/NAME its kind. FROM TO 53/udp
is short for the four flags. If both ends have IPv4 and IPv6, both are asked; if they
differ, the verdict is unknown. --by rows asks the zones' rows, --by both both; with -f
alone the rows are compiled. --ovn also runs ovn-trace in the zones' pods (needs
pods/exec), or in the sandbox on OVN. Exit 1 if policies, rows and OVN disagree.

--as-if NAMESPACE/NAME:KEY=VALUE,… asks as if a pod with these labels existed, and
--as-if NAMESPACE:KEY=VALUE,… a namespace (repeatable). Such pods declare no ports, and
only the policies can be asked.

--cases takes a JSON array of {"from","to","protocol","port","ip_version","network"}; the
answers come in the same order. Flags fill in missing fields of a case. A case that
cannot be asked is "unknown", with a line on stderr: exit 2 then.`,
		Example: `  rung trace blue/api-d0 red/web-f0 8080 -f examples/
  rung trace --from canary-0 --to service/kube-system/kube-dns --port 53/udp --by both -f examples/
  rung trace blue/api-d0 red/web-f0 8080 --ovn --context staging
  echo '[{"from":"blue/api-d0","to":"red/web-f0","port":8080}]' | rung trace --cases - -f examples/`,
		Args: takesQuestion,
	}, func(args []string, _ bool) command.Query {
		questions := sync.OnceValues(func() ([]trace.Question, error) { return readQuestions(a, cmd, args, one, cases) })
		live := ovn || needsLiveRows(cmd.Context(), a, by)
		a.Flags.OnOVN = ovn
		return command.Query{Zones: live, Answer: func(ctx context.Context, e *engine.Engine, r *revision.Revision) (*command.Answer, error) {
			asked, err := questions()
			if err != nil {
				return nil, err
			}
			if r, err = imagineObjects(r, asIf, by, ovn); err != nil {
				return nil, err
			}
			var ask askOVN
			if ovn {
				ask = func(c verdict.Connection) (*revision.OVNTrace, error) { return e.OVNTrace(ctx, c, nil) }
			}
			return traceAnswer(a, r, asked, cases, by, live, e.Now(), ask)
		}}
	})
	addQuestionFlags(a, cmd, &one, &cases)
	cmd.Flags().BoolVar(&ovn, "ovn", false, "ask ovn-trace too, and compare it with the rows")
	cmd.Flags().StringArrayVar(&asIf, "as-if", nil, "ask as if a pod existed or had other labels: `NAMESPACE/NAME:LABELS`; without /NAME a "+
		"namespace (repeatable)")
	command.CompleteFlag(cmd, "as-if", cobra.NoFileCompletions) // nonexistent objects cannot be listed
	cmd.MarkFlagsMutuallyExclusive("ovn", "watch")              // each answer runs a program in the zones' pods
	addByFlag(cmd, &by)
	return cmd
}

func addByFlag(cmd *cobra.Command, by *string) {
	cmd.Flags().StringVar(by, "by", byPolicies, "`WHO` is asked: policies, rows or both")
	command.CompleteFlag(cmd, "by", command.FixedWords(byPolicies, byRows, byPoliciesAndRows))
}

func parseBy(by string) (trace.AnsweredBy, error) {
	ask, ok := map[string]trace.AnsweredBy{byPolicies: trace.Policies, byRows: trace.Rows, byPoliciesAndRows: trace.Both}[by]
	if !ok {
		return 0, fmt.Errorf("--by %s: use policies, rows or both", by)
	}
	return ask, nil
}

// needsLiveRows reports whether live rows are asked: rows of a cluster, of --nb, or of database files in a folder
// of -f. Otherwise the policies are compiled to rows.
func needsLiveRows(ctx context.Context, a *command.App, by string) bool {
	return by != byPolicies && (len(a.Flags.Files) == 0 || a.Flags.HasDatabases(ctx))
}

func addQuestionFlags(a *command.App, cmd *cobra.Command, one *trace.Question, cases *string) {
	f := cmd.Flags()
	f.StringVar(&one.From, "from", "", "the `END` that opens the connection")
	f.StringVar(&one.To, "to", "", "the `END` that it goes to")
	one.Protocol = string(verdict.TCP)
	addPortFlags(cmd, &one.Port, "destination `PORT`, or with its protocol, as in 53/udp; none with ICMP", &one.Protocol,
		"`PROTOCOL`: TCP, UDP, SCTP or ICMP")
	f.StringVar(&one.Network, "network", "", "judge it on this `NETWORK`: a name, or default; otherwise on that of both ends")
	f.StringVarP(&one.Namespace, "namespace", "n", "", "`NAMESPACE` of ends that name none")
	f.IntVar(&one.IPVersion, "ip-version", 0, "ask only IP `VERSION` 4 or 6, if both ends have both")
	f.StringVar(cases, "cases", "", "answer the questions of a JSON `FILE`, or - for standard input")
}

// traceAnswer answers one question, or the questions of a file.
func traceAnswer(a *command.App, r *revision.Revision, asked []trace.Question, file, by string, live bool, now time.Time,
	ovn askOVN) (*command.Answer, error) {
	ask, err := parseBy(by)
	if err != nil {
		return nil, err
	}
	of := &connectionAsker{tracer: trace.Tracer{Compiled: !live}, r: r, names: trace.NewEndNames(r.Cluster, r), by: ask, tried: file == "",
		now: now, ovn: ovn,
		describe: a.OmissionsOut}
	if file == "" {
		o, err := of.askOne(asked[0])
		if err != nil {
			return nil, err
		}
		o.AddDetails(o.trace)
		ans := answerToQuestions([]*verdictOut{o}, file)
		ans.No, ans.Err, ans.NotConsidered = o.hasDisagreement(), whyOVNFailed(o.OVN), o.verdictOmissions()
		return ans, nil
	}
	return of.askAll(asked, file)
}

// askAll returns the answers to the questions of a file. With OVN all questions are asked before the answer is
// written, in sequence, each with its own ovn-trace processes. Without OVN each is asked while the answer is
// written.
func (a *connectionAsker) askAll(asked []trace.Question, file string) (*command.Answer, error) {
	var known []*verdictOut
	errs, failed := make([]error, len(asked)), make([]error, len(asked))
	var disagree atomic.Bool
	var notes omissionsBuilder
	item := func(i int) *verdictOut {
		o, err := a.askOne(asked[i])
		if err != nil { // still answer the others
			errs[i] = err
			return &verdictOut{VerdictFacts: pages.FactsNotAsked(asked[i], err)}
		}
		failed[i] = whyOVNFailed(o.OVN)
		if o.hasDisagreement() {
			disagree.Store(true)
		}
		o.NotConsidered = a.describe(notes.addAnswer(o))
		return o
	}
	if a.ovn != nil {
		for i := range asked {
			known = append(known, item(i))
			if errors.Is(errs[i], context.Canceled) {
				return nil, errs[i]
			}
		}
	}
	ans := &command.Answer{}
	ans.Items = &command.LongList{N: len(asked), Item: func(i int) any {
		if known != nil {
			return known[i]
		}
		return item(i)
	}, End: func() {
		var bad CaseErrors
		for i, err := range errs {
			if err != nil {
				bad.addError(file, i, err)
			}
		}
		ans.No, ans.Err, ans.NotConsidered = disagree.Load(), cmp.Or(bad.asError(), cmp.Or(failed...)), notes.allOmissions(len(asked))
	}}
	return ans, nil
}

// resolveConnection converts a question; errors about an end name its flag. A bare name means the only pod, node or
// Service with it. nil names skip that lookup.
func resolveConnection(q trace.Question, names *trace.EndNames) (c verdict.Connection, err error) {
	if names != nil {
		q, err = q.CompleteNames(names)
	}
	if err == nil {
		c, err = q.Connection()
	}
	var end *trace.EndError
	if errors.As(err, &end) {
		return c, fmt.Errorf("--%w", err)
	}
	return c, err
}

// connectionAsker answers questions about connections of one revision. It is safe for concurrent use.
type connectionAsker struct {
	tracer trace.Tracer
	r      *revision.Revision
	names  *trace.EndNames
	by     trace.AnsweredBy
	tried  bool
	now    time.Time
	ovn    askOVN // nil without OVN
	// converts omissions for output
	describe func([]model.Omission) []command.OmissionOut
}

func (a *connectionAsker) askOne(q trace.Question) (*verdictOut, error) {
	c, err := resolveConnection(q, a.names)
	if err != nil {
		return nil, err
	}
	answer, err := a.tracer.AskAllFamilies(a.r, c, a.by, a.tried, a.now)
	if errors.Is(err, verdict.ErrQuestion) {
		err = fmt.Errorf("%w%s", err, a.names.SimilarTo(c.From, c.To))
	}
	if err != nil {
		return nil, err
	}
	out := newVerdictOut(q, answer)
	if !a.tried { // one line each: the paths are not needed
		out.trace = trimTrace(out.trace)
	}
	if a.ovn != nil {
		t, err := a.ovn(answer.Connection)
		if err != nil {
			return nil, fmt.Errorf("--ovn: %w", err)
		}
		out.OVN = pages.FactsOfOVN(t)
	}
	return out, nil
}

// verdictOut is the answer to a question about a connection, with the trace behind it.
type verdictOut struct {
	*pages.VerdictFacts
	// Omissions that could change the answer; set only in a list of answers.
	NotConsidered []command.OmissionOut `json:"not_considered,omitempty"`

	trace *trace.Trace // nil if the question cannot be asked
}

func newVerdictOut(q trace.Question, t *trace.Trace) *verdictOut {
	return &verdictOut{VerdictFacts: pages.FactsOfTrace(q, t), trace: t}
}

// trimTrace keeps the parts of a trace needed for a single line.
func trimTrace(t *trace.Trace) *trace.Trace {
	out := &trace.Trace{Connection: t.Connection, Verdict: t.Verdict, Reason: t.Reason, Disagree: t.Disagree, NotConsidered: t.NotConsidered}
	if t.Rows != nil {
		out.Rows = &verdict.Answer{Verdict: t.Rows.Verdict, Reason: t.Rows.Reason}
	}
	out.Families = model.MapList(t.Families, trimTrace)
	return out
}

// hasDisagreement reports whether policies, rows and OVN disagree without a known reason.
func (o *verdictOut) hasDisagreement() bool {
	return o.OVN.HasDisagreement() || o.trace.HasDisagreement()
}

// askOVN asks ovn-trace about a connection; a nil function asks nothing.
type askOVN func(verdict.Connection) (*revision.OVNTrace, error)

// whyOVNFailed returns the error of ovn-trace, nil if it answered.
func whyOVNFailed(o *pages.OVNFacts) error {
	if o == nil {
		return nil
	}
	for i := range o.Paths {
		for _, z := range o.Paths[i].Zones {
			if z.Error != "" {
				return fmt.Errorf("--ovn: zone %s: %s", z.Zone, z.Error)
			}
		}
	}
	return nil
}

// writeOVN prints OVN's answer stage by stage, next to the rows.
func writeOVN(b *strings.Builder, o *pages.OVNFacts) {
	if o == nil {
		return
	}
	fmt.Fprintf(b, "\novn-trace: %s\n", o.Words.Headline)
	for i := range o.Words.Paths {
		w := &o.Words.Paths[i]
		if w.To != "" {
			fmt.Fprintf(b, "\nto %s:\n", w.To)
		}
		if len(w.Lines) > 0 {
			b.WriteString("\n" + command.TableText(pages.OVN, w.Lines, true, 0))
		}
		for _, n := range w.Notes {
			b.WriteString(n + "\n")
		}
	}
}

var errAsIfRows = errors.New("--as-if asks the policies only: rows exist only for real pods")

// imagineObjects returns the revision as if the pods and namespaces of --as-if existed.
func imagineObjects(r *revision.Revision, texts []string, by string, ovn bool) (*revision.Revision, error) {
	if len(texts) == 0 {
		return r, nil
	}
	if by != byPolicies || ovn {
		return nil, errAsIfRows
	}
	var things []revision.ImaginedPod
	spaces := map[string]map[string]string{}
	for _, text := range texts {
		t, err := parseAsIf(text)
		// An existing pod is asked about with these labels, and with a node and an address if it has none.
		if err == nil && t.Name == "" && r.Cluster.Namespace(t.Namespace) != nil {
			err = errors.New("this namespace exists")
		}
		if err != nil {
			return nil, fmt.Errorf("--as-if %q: %w", text, err)
		}
		if t.Name == "" {
			spaces[t.Namespace] = t.Labels
		}
		things = append(things, t)
	}
	for i := range things {
		things[i].Space = spaces[things[i].Namespace]
	}
	return r.WithImagined(things), nil
}

// parseAsIf parses NAMESPACE/NAME:KEY=VALUE,… or NAMESPACE:KEY=VALUE,….
func parseAsIf(text string) (t revision.ImaginedPod, err error) {
	name, labels, _ := strings.Cut(text, ":")
	t.Labels = map[string]string{}
	var isPod bool
	t.Namespace, t.Name, isPod = strings.Cut(name, "/")
	if len(validation.IsDNS1123Label(t.Namespace)) > 0 || isPod && len(validation.IsDNS1123Subdomain(t.Name)) > 0 {
		return t, errors.New("want NAMESPACE/NAME:KEY=VALUE,… for a pod, NAMESPACE:KEY=VALUE,… for a namespace")
	}
	for _, l := range strings.Split(labels, ",") {
		if l == "" {
			continue
		}
		k, v, ok := strings.Cut(l, "=")
		if !ok || len(validation.IsQualifiedName(k)) > 0 || len(validation.IsValidLabelValue(v)) > 0 {
			return t, fmt.Errorf("%q is not a label: want KEY=VALUE", l)
		}
		t.Labels[k] = v
	}
	return t, nil
}

// addPortFlags adds the flags for port and protocol. --port also takes a port with its protocol as in 53/udp, like the
// console.
func addPortFlags(cmd *cobra.Command, port *int, usage string, protocol *string, ofProtocol string) {
	withProtocol := "" // the argument of --port, if it names the protocol
	cmd.Flags().StringVar(protocol, "protocol", *protocol, ofProtocol)
	cmd.Flags().Func("port", usage, func(text string) error {
		var q trace.Question
		if err := q.ReadService(text); err != nil || q.Port == 0 {
			return errors.New("use 1 to 65535, or with its protocol, as in 53/udp")
		}
		*port = q.Port
		if q.Protocol != "" {
			*protocol, withProtocol = q.Protocol, text
		}
		return nil
	})
	cmd.PreRunE = func(cmd *cobra.Command, _ []string) error {
		if withProtocol != "" && cmd.Flags().Changed("protocol") {
			return fmt.Errorf("--port %s says the protocol already: leave --protocol out", withProtocol)
		}
		return nil
	}
}
