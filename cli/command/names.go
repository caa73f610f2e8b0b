package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"rung/change/history"
	"rung/engine"
	"rung/model"
	"rung/model/ladder"
	"rung/model/words"
	"rung/revision"
	"rung/system"
)

var policyKinds = []model.Kind{model.KindANP, model.KindBANP, model.KindNP, model.KindMNP, model.KindEF, model.KindCNP, model.KindACNP,
	model.KindANNP}

// PolicyKind returns the kind of policies that a word means to kubectl, such as "anp" or "networkpolicies"; empty
// for other words.
func PolicyKind(word string) model.Kind {
	word = strings.NewReplacer("policies", "policy", "firewalls", "firewall").Replace(strings.ToLower(word))
	for _, k := range policyKinds {
		if word == strings.ToLower(k.Abbreviation()) || word == strings.ToLower(string(k)) || word == k.ResourceName() {
			return k
		}
	}
	if word == "netpol" {
		return model.KindNP
	}
	return ""
}

// PolicyNamed finds the policy that a name stands for. Several are an error.
func PolicyNamed(r *revision.Revision, name string) (model.PolicyKey, error) {
	var found []model.PolicyKey
	kind, rest, hasKind := strings.Cut(name, "/")
	for p := range r.Cluster.EveryPolicy() {
		k := p.Key
		short := k.NamespacedName()
		if name == short || hasKind && PolicyKind(kind) == k.Kind && rest == short {
			found = append(found, k)
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		all := model.MapSeq(r.Cluster.EveryPolicy(), func(p *model.Policy) string { return p.Key.NamespacedName() })
		if like := cmp.Or(words.DidYouMean(name, all), words.DidYouMean(rest, all)); like != "" {
			return model.PolicyKey{}, fmt.Errorf("no policy %q%s", name, like)
		}
		if u := r.NeverRead(policyKinds...); u != nil {
			return model.PolicyKey{}, fmt.Errorf("no policy %q among those read; %s", name, u.Text())
		}
		names := model.MapSeq(r.Cluster.EveryPolicy(), func(p *model.Policy) string { return p.Key.Label() })
		if len(names) > 12 {
			names = append(names[:12], "…")
		}
		if len(names) > 0 {
			return model.PolicyKey{}, fmt.Errorf("no policy %q; policies: %s", name, strings.Join(names, ", "))
		}
		return model.PolicyKey{}, fmt.Errorf("no policy %q; no policies were read at all", name)
	}
	return model.PolicyKey{}, fmt.Errorf("policy %q is ambiguous: give %s/%s or %s/%s", name,
		found[0].Kind.Abbreviation(), found[0].NamespacedName(), found[1].Kind.Abbreviation(), found[1].NamespacedName())
}

// ChangeableNamed is PolicyNamed for policies and, by KIND/NAME, for the objects they refer to: tier/NAME.
func ChangeableNamed(r *revision.Revision, name string) (model.PolicyKey, error) {
	kind, rest, _ := strings.Cut(name, "/")
	for o := range r.Cluster.Objects() {
		k := o.ObjectKey()
		if k.Kind.IsReferenced() && rest == k.NamespacedName() && (strings.EqualFold(kind, k.Kind.Abbreviation()) ||
			strings.EqualFold(kind, string(k.Kind))) {
			return k, nil
		}
	}
	return PolicyNamed(r, name)
}

// NoNamespace returns the error for a missing namespace, with a suggestion if a name is similar.
func NoNamespace(r *revision.Revision, name string) error {
	if r.NeverRead(model.KindNamespace) != nil {
		return errors.New(r.MissingText("namespace "+name, model.KindNamespace))
	}
	return fmt.Errorf("no namespace %q%s", name, words.DidYouMean(name, NamespaceChoices(nil, r)))
}

// NoPod returns the error for a missing pod, with a suggestion if a name is similar.
func NoPod(r *revision.Revision, name string) error {
	if r.NeverRead(model.KindPod) != nil {
		return errors.New(r.MissingText("pod "+name, model.KindPod))
	}
	return fmt.Errorf("no pod %s among the %s read%s", name, words.Count(r.Cluster.Count(model.KindPod), "pod"),
		words.DidYouMean(name, model.MapSeq(r.Cluster.Pods(), func(p *model.Pod) string { return p.Namespace + "/" + p.Name })))
}

// ObjectName returns KIND/[NAMESPACE/]NAME. Unlike kubectl -o name it has the namespace, since names are
// unique only within one. Rung accepts it as an argument.
func ObjectName(k model.Key) string { return k.Kind.ResourceName() + "/" + k.NamespacedName() }

// PolicyNames returns the names of policies for -o name, each once. Units that are not objects have none.
func PolicyNames(keys []model.PolicyKey) (out []string) {
	for _, k := range keys {
		if name := ObjectName(k); k.Kind.IsPolicy() && k.Name != "" && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

// ZonePrefix begins the name of a zone in -o name.
const ZonePrefix = "zone/"

// ZonesNamed returns all zones, or the zone called name. It is an error if zones are unknown because the nodes
// were not read.
func ZonesNamed(r *revision.Revision, name string) ([]*model.ZoneState, error) {
	if u := r.NeverRead(model.KindNode); u != nil && len(r.Zones) == 0 {
		return nil, errors.New("zones are " + u.Text())
	}
	if name == "" {
		return r.Zones, nil
	}
	name = strings.TrimPrefix(name, ZonePrefix)
	if z := r.Zone(name); z != nil {
		return []*model.ZoneState{z}, nil
	}
	names := model.MapList(r.Zones, func(z *model.ZoneState) string { return z.Name })
	if like := words.DidYouMean(name, names); like != "" {
		return nil, fmt.Errorf("no zone %q%s", name, like)
	}
	return nil, fmt.Errorf("no zone %q; zones: %s", name, words.ListFew(names, 12))
}

func NodeNames(c *model.Cluster) string {
	return words.OrNone(strings.Join(model.MapSeq(c.Nodes(), func(n *model.Node) string { return n.Name }), ", "))
}

// CompleteTimeout limits a completion, since the user waits. Tests of the offered words set a longer one.
var CompleteTimeout = time.Second

type Completer = cobra.CompletionFunc

// choiceFinder returns the words to offer, from the objects that were read.
type choiceFinder = func(*engine.Engine, *revision.Revision) []string

// CompleteFirst completes the first argument from the manifests given by -f, or from the cluster.
func (a *App) CompleteFirst(of choiceFinder) Completer {
	flag := a.CompleteValue(of)
	return func(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return flag(cmd, args, typed)
	}
}

// CompleteValue completes the value of a flag as CompleteFirst does an argument.
func (a *App) CompleteValue(of choiceFinder) Completer {
	return a.OfferChoices(func(ctx context.Context) (out []string) {
		_ = a.WithObjects(ctx, func(e *engine.Engine, r *revision.Revision) error {
			out = of(e, r)
			return nil
		})
		return out
	})
}

// MuteCompletion redirects standard error of a process that completes a command line, since output of a
// kubeconfig plugin would corrupt the line.
func MuteCompletion(args []string, errw io.Writer) {
	if len(args) == 0 || !strings.HasPrefix(args[0], cobra.ShellCompRequestCmd) || errw != io.Writer(os.Stderr) {
		return
	}
	if null, err := os.Create(os.DevNull); err == nil {
		os.Stderr = null // the process ends with the completion
	}
}

// OfferChoices completes with the words that find returns in time. On any error it offers and prints nothing.
// Standard input belongs to the shell.
func (a *App) OfferChoices(find func(context.Context) []string) Completer {
	return func(cmd *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
		parent := cmd.Context()
		if parent == nil {
			parent = context.Background()
		}
		ctx, cancel := context.WithTimeout(parent, CompleteTimeout)
		defer cancel()
		a.completes, a.Flags.Quiet, a.In = true, true, strings.NewReader("")
		found, err := AwaitResult(ctx, func() ([]string, error) { return find(ctx), nil })
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return slices.DeleteFunc(found, func(s string) bool { return !strings.HasPrefix(s, typed) }), cobra.ShellCompDirectiveNoFileComp
	}
}

// PolicyChoices returns the policies in ladder order.
func PolicyChoices(_ *engine.Engine, r *revision.Revision) []string {
	return ChoicesOfKind(r, model.Kind.IsPolicy)
}

// ChoicesOfKind returns the names of the policies of some kinds in ladder order, prefixed by the kind if not
// unique.
func ChoicesOfKind(r *revision.Revision, of func(model.Kind) bool) []string {
	count := map[string]int{}
	for p := range r.Cluster.EveryPolicy() {
		count[p.Key.NamespacedName()]++
	}
	order := ladder.PolicyOrder(r.Cluster)
	for _, s := range system.All {
		for _, place := range s.PolicyPlaces(r.Cluster) {
			if system.SystemOfKind(place.Policy.Kind) == s {
				order = append(order, place.Policy.Key)
			}
		}
	}
	var out []string
	for _, k := range order {
		if !of(k.Kind) {
			continue
		}
		p := r.Cluster.Policy(k)
		name, what := k.NamespacedName(), k.Kind.Abbreviation()
		if count[name] > 1 {
			name = k.Kind.Abbreviation() + "/" + name
		}
		if k.Kind == model.KindANP {
			what = fmt.Sprintf("priority %d", p.Priority)
		}
		out = append(out, name+"\t"+what+", "+p.SubjectText())
	}
	return out
}

// PodChoices returns the pods, with their nodes.
func PodChoices(_ *engine.Engine, r *revision.Revision) []string {
	return model.MapSeq(r.Cluster.Pods(), func(p *model.Pod) string { return p.Namespace + "/" + p.Name + "\t" + p.NodeName })
}

// ZoneChoices returns the names of the nodes, which are also the names of the zones.
func ZoneChoices(_ *engine.Engine, r *revision.Revision) []string {
	return model.MapSeq(r.Cluster.Nodes(), func(n *model.Node) string { return n.Name })
}

// NamespaceChoices returns the namespaces.
func NamespaceChoices(_ *engine.Engine, r *revision.Revision) []string {
	return model.MapSeq(r.Cluster.Namespaces(), func(n *model.Namespace) string { return n.Name })
}

// HistoryChoices returns the numbers of changes, newest first.
func HistoryChoices(e *engine.Engine, _ *revision.Revision) []string {
	return model.MapList(e.History(), func(h history.Entry) string { return fmt.Sprintf("%d\t%s", h.ID, h.Title) })
}

// FixedWords offers the same words every time.
func FixedWords(words ...string) Completer {
	return cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp)
}

// CompleteFlag registers the completion of a flag's value.
func CompleteFlag(cmd *cobra.Command, flag string, f Completer) {
	_ = cmd.RegisterFlagCompletionFunc(flag, f) // fails only for an unknown flag, which tests would show
}

// FileCompleter offers files with these endings, or all files without any.
func FileCompleter(ends ...string) Completer {
	if len(ends) == 0 {
		return cobra.FixedCompletions(nil, cobra.ShellCompDirectiveDefault)
	}
	return cobra.FixedCompletions(ends, cobra.ShellCompDirectiveFilterFileExt)
}
