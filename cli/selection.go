package cli

import (
	"fmt"
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"

	"rung/cli/command"
	"rung/engine"
	"rung/model"
	"rung/model/words"
	"rung/revision"
)

// Selection is the part of a list selected by -n, -A, -l and --field-selector, as in kubectl; the zero
// Selection selects everything. A namespace keeps its objects and those without a namespace, such as
// AdminNetworkPolicies.
type Selection struct {
	namespace  string
	everywhere bool
	labels     labels.Selector // nil if not given, like fields
	fields     fields.Selector
}

// Selectables are the objects that a command lists, with their selectable fields.
type Selectables struct {
	one    string   // name of one object
	fields []string // in order
	each   func(*model.Cluster) iter.Seq[model.Object]
}

// Objects that commands list.
var (
	Policies = Selectables{"policy", []string{"metadata.name", "metadata.namespace", "kind", "spec.priority"},
		func(c *model.Cluster) iter.Seq[model.Object] { return asObjects(c.EveryPolicy()) }}
	Pods = Selectables{"pod", []string{"metadata.name", "metadata.namespace", "spec.nodeName", "spec.serviceAccountName", "spec.hostNetwork",
		"status.phase", "status.podIP"},
		func(c *model.Cluster) iter.Seq[model.Object] { return asObjects(c.Pods()) }}
	Nodes = Selectables{"node", []string{"metadata.name"}, func(c *model.Cluster) iter.Seq[model.Object] { return asObjects(c.Nodes()) }}
)

// asObjects converts a sequence of one kind to one of any objects.
func asObjects[T model.Object](all iter.Seq[T]) iter.Seq[model.Object] {
	return func(yield func(model.Object) bool) { all(func(x T) bool { return yield(x) }) }
}

// NamespaceFlag adds -n to a command that takes a name; what contains the word NAMESPACE in backquotes.
func (s *Selection) NamespaceFlag(cmd *cobra.Command, what string) {
	cmd.Flags().StringVarP(&s.namespace, "namespace", "n", "", what)
}

// AddTo adds the flags to a command that lists objects which may be in namespaces.
func (s *Selection) AddTo(a *command.App, cmd *cobra.Command, of Selectables) {
	s.NamespaceFlag(cmd, "only this `NAMESPACE`, and objects without one")
	cmd.Flags().BoolVarP(&s.everywhere, "all-namespaces", "A", false, "all namespaces (the default); overrides -n")
	s.AddSelectors(a, cmd, of)
}

// AddSelectors adds -l and --field-selector to a command that lists these objects.
func (s *Selection) AddSelectors(a *command.App, cmd *cobra.Command, of Selectables) {
	cmd.Flags().FuncP("selector", "l", "only objects with these `LABELS`: tenant=blue,app!=web,'env in (test,stage)',!legacy",
		onOneLine(func(text string) (err error) {
			s.labels, err = labels.Parse(text)
			return err
		}))
	cmd.Flags().Func("field-selector", "only objects with these `FIELDS`: "+strings.Join(of.fields, ", ")+", by = or !=",
		onOneLine(func(text string) (err error) {
			s.fields, err = of.parseFields(text)
			return err
		}))
	command.CompleteFlag(cmd, "selector", completeTerms(a, of.labelTerms))
	command.CompleteFlag(cmd, "field-selector", completeTerms(a, of.fieldTerms))
}

// onOneLine makes a parser of Kubernetes return its errors on one line.
func onOneLine(parse func(text string) error) func(text string) error {
	return func(text string) error {
		if err := parse(text); err != nil {
			return fmt.Errorf("%s", strings.Join(strings.Fields(err.Error()), " "))
		}
		return nil
	}
}

// keepKind selects only objects of a kind.
func (s *Selection) keepKind(k model.Kind) {
	only := fields.OneTermEqualSelector("kind", string(k))
	if s.fields != nil {
		only = fields.AndSelectors(only, s.fields)
	}
	s.fields = only
}

// parseFields parses a field selector, and rejects fields that the objects do not have.
func (of Selectables) parseFields(text string) (fields.Selector, error) {
	s, err := fields.ParseSelector(text)
	if err != nil {
		return nil, err
	}
	for _, r := range s.Requirements() {
		if !slices.Contains(of.fields, r.Field) {
			return nil, fmt.Errorf("%s have no field %q; fields: %s", words.Plural(of.one), r.Field, words.List(of.fields, len(of.fields)))
		}
	}
	return s, nil
}

// IsAll reports whether everything is selected.
func (s *Selection) IsAll() bool { return s.Namespace() == "" && s.labels == nil && s.fields == nil }

// Namespace returns the selected namespace, or "" for all.
func (s *Selection) Namespace() string {
	if s.everywhere {
		return ""
	}
	return s.namespace
}

// byContent reports whether objects are selected by labels or fields. A name excludes these.
func (s *Selection) byContent() bool { return s.labels != nil || s.fields != nil }

// String returns the selection as typed.
func (s *Selection) String() string {
	var parts []string
	if ns := s.Namespace(); ns != "" {
		parts = append(parts, "-n "+ns)
	}
	if s.labels != nil {
		parts = append(parts, "-l "+s.labels.String())
	}
	if s.fields != nil {
		parts = append(parts, "--field-selector "+s.fields.String())
	}
	return strings.Join(parts, " ")
}

// Keeps reports whether an object is selected.
func (s *Selection) Keeps(o model.Object) bool {
	if in := s.keepsNamespace(o.ObjectKey()); !in || !s.byContent() {
		return in
	}
	meta, of := metaAndFields(o)
	return (s.labels == nil || s.labels.Matches(labels.Set(meta.Labels.Map()))) && (s.fields == nil || s.fields.Matches(fields.Set(of)))
}

// KeptCount counts the selected objects.
func (s *Selection) KeptCount(r *revision.Revision, of Selectables) (n int) {
	for o := range of.each(r.Cluster) {
		if s.Keeps(o) {
			n++
		}
	}
	return n
}

// keepsNamespace reports whether a key is in the selected namespace, or in none.
func (s *Selection) keepsNamespace(k model.Key) bool {
	in := k.Namespace
	if k.Kind == model.KindNamespace {
		in = k.Name
	}
	ns := s.Namespace()
	return ns == "" || in == "" || in == ns
}

// KeepsKey reports whether the object of a key is selected. For units that are not objects, such as the
// default deny of a namespace, only the namespace is known. For a policy known from its rows alone the name is
// known too.
func (s *Selection) KeepsKey(r *revision.Revision, k model.Key) bool {
	if !s.byContent() { // fast path for many rows
		return s.keepsNamespace(k)
	}
	if o := r.Cluster.Get(k); o != nil {
		return s.Keeps(o)
	}
	return s.keepsNamespace(k) && s.labels == nil && (s.fields == nil || k.Kind.IsPolicy() && s.fields.Matches(fields.Set(fieldsOfKey(k))))
}

// UnitFilter returns a function that reports whether a policy or another unit with rows is selected, directly
// or because it holds rows of a selected policy.
func (s *Selection) UnitFilter(r *revision.Revision) func(model.Key) bool {
	related := map[model.Key]bool{}
	if s.byContent() {
		for p := range r.Cluster.EveryPolicy() {
			if s.Keeps(p) {
				for _, u := range r.RelatedUnits(p.Key) {
					related[u] = true
				}
			}
		}
	}
	return func(k model.Key) bool { return related[k] || s.KeepsKey(r, k) }
}

// metaAndFields returns the metadata of an object, and its fields by name.
func metaAndFields(o model.Object) (*model.Meta, map[string]string) {
	of := fieldsOfKey(o.ObjectKey())
	switch o := o.(type) {
	case *model.Policy:
		if o.Tiered != nil {
			of["spec.priority"] = strconv.FormatFloat(o.Tiered.Priority, 'g', -1, 64)
		} else if o.Kind.HasPriority() {
			of["spec.priority"] = strconv.Itoa(int(o.Priority))
		}
		return &o.Meta, of
	case *model.Pod:
		of["spec.nodeName"], of["spec.serviceAccountName"], of["spec.hostNetwork"] = o.NodeName, o.ServiceAccount,
			strconv.FormatBool(o.HostNetwork)
		of["status.phase"] = o.Phase
		if len(o.IPs) > 0 {
			of["status.podIP"] = o.IPs[0]
		}
		return &o.Meta, of
	case *model.Node:
		return &o.Meta, of
	case *model.Namespace:
		return &o.Meta, of
	case *model.Service:
		return &o.Meta, of
	}
	return &model.Meta{Key: o.ObjectKey()}, of
}

func fieldsOfKey(k model.Key) map[string]string {
	return map[string]string{"metadata.name": k.Name, "metadata.namespace": k.Namespace, "kind": string(k.Kind)}
}

// LeftOutText counts the objects that a selection leaves out, and adds others, which count other things in
// words. It returns "" if nothing is left out.
func (s *Selection) LeftOutText(kept, all int, one string, others ...string) string {
	var parts []string
	switch {
	case s.IsAll():
		return ""
	case kept == 0 && all > 0:
		parts = append(parts, words.OneOrMany(all, "the only "+one, "all "+words.Count(all, one)))
	case kept < all:
		parts = append(parts, words.Thousands(all-kept)+" of "+words.Count(all, one))
	}
	parts = append(parts, model.Filter(others, func(text string) bool { return text != "" })...)
	switch {
	case len(parts) == 0:
		return ""
	case kept == 0:
		return "nothing matches " + s.String() + "; left out: " + strings.Join(parts, ", ")
	}
	return s.LeftOut(parts...)
}

// LeftOut names what a selection leaves out.
func (s *Selection) LeftOut(parts ...string) string {
	return "left out by " + s.String() + ": " + strings.Join(parts, ", ")
}

// Check rejects a namespace known not to exist.
func (s *Selection) Check(r *revision.Revision) error {
	ns := s.Namespace()
	if ns == "" || r.Cluster.Count(model.KindNamespace) == 0 || r.Cluster.Namespace(ns) != nil {
		return nil
	}
	for p := range r.Cluster.EveryPolicy() {
		if p.Namespace == ns {
			return nil
		}
	}
	return command.NoNamespace(r, ns)
}

// CheckName rejects labels and fields next to a name, as kubectl does.
func (s *Selection) CheckName(name string) error {
	if s.byContent() {
		return fmt.Errorf("%s names one: leave -l and --field-selector out", name)
	}
	return nil
}

// UnitsNamed returns the named policy ("cluster-control", "ANP/cluster-control", "BANP/default", "blue/web")
// and the units with rows for it; without a name the selected units.
func (s *Selection) UnitsNamed(r *revision.Revision, names []string) ([]model.PolicyKey, error) {
	if err := s.Check(r); err != nil {
		return nil, err
	}
	if len(names) == 0 {
		keeps := s.UnitFilter(r)
		return slices.DeleteFunc(slices.Clone(r.Units()), func(k model.PolicyKey) bool { return !keeps(k) }), nil
	}
	k, err := s.PolicyNamed(r, names[0])
	if err != nil {
		return nil, err
	}
	return append([]model.PolicyKey{k}, r.RelatedUnits(k)...), nil
}

// PolicyNamed returns the policy called name; -n may give its namespace.
func (s *Selection) PolicyNamed(r *revision.Revision, name string) (model.PolicyKey, error) {
	if err := s.CheckName(name); err != nil {
		return model.PolicyKey{}, err
	}
	ns := s.Namespace()
	if ns == "" {
		return command.PolicyNamed(r, name)
	}
	if err := s.Check(r); err != nil {
		return model.PolicyKey{}, err
	}
	full := ns + "/" + name
	if kind, rest, ok := strings.Cut(name, "/"); ok {
		full = kind + "/" + ns + "/" + rest
	}
	k, err := command.PolicyNamed(r, full)
	if err == nil {
		return k, nil
	}
	if k, other := command.PolicyNamed(r, name); other == nil {
		err = nil
		if !s.keepsNamespace(k) {
			err = fmt.Errorf("%s is not in namespace %s", k.Label(), ns)
		}
		return k, err
	}
	return k, err
}

// completeTerms completes the last term of a selector with the terms of existing objects.
func completeTerms(a *command.App, terms func(r *revision.Revision) map[string]bool) command.Completer {
	return func(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
		before := typed[:strings.LastIndex(typed, ",")+1]
		out, _ := a.CompleteValue(func(_ *engine.Engine, r *revision.Revision) (out []string) {
			for _, term := range slices.Sorted(maps.Keys(terms(r))) {
				out = append(out, before+term)
			}
			return out
		})(cmd, args, typed)
		return out, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
	}
}

func (of Selectables) labelTerms(r *revision.Revision) map[string]bool {
	out := map[string]bool{}
	for o := range of.each(r.Cluster) {
		meta, _ := metaAndFields(o)
		for k, v := range meta.Labels.Map() {
			out[k+"="+v] = true
		}
	}
	return out
}

// fieldTerms returns the fields of the objects as FIELD=VALUE.
func (of Selectables) fieldTerms(r *revision.Revision) map[string]bool {
	out := map[string]bool{}
	for o := range of.each(r.Cluster) {
		_, has := metaAndFields(o)
		for _, name := range of.fields {
			if v := has[name]; v != "" {
				out[name+"="+v] = true
			}
		}
	}
	return out
}
