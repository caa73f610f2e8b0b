package template

import (
	"fmt"
	"hash/fnv"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"rung/model"
	"rung/model/plan"
	"rung/model/words"
	"rung/sources/manifests"
)

// PolicySet is the set of policies made from a template and answers.
type PolicySet struct {
	Template *Template
	Name     string
	Answers  Answers // complete
	// Text holds the policies to write, one document each. Base is the current text of the changed policies,
	// to detect conflicting changes.
	Text, Base string
	// New names the policies that the cluster lacks, Changed the existing ones.
	New, Changed []model.PolicyKey
	// Notes say what to know before applying it.
	Notes []string

	objects []model.Object
	expect  []any
	leaves  LeftDecisions
}

// patternPolicy is a policy of a pattern, with placeholders replaced.
type patternPolicy struct {
	key   model.PolicyKey
	why   string
	place int // index of its priority in the answer
	admin object
}

// baselineName is the only name of a BaselineAdminNetworkPolicy.
const baselineName = "default"

// MakeSet makes a set from answers; with offered, the first choice replaces a missing answer. The error may be
// a *MissingError.
func MakeSet(w *World, t *Template, given Answers, offered bool) (*PolicySet, error) {
	answers, values, err := t.CompleteAnswers(w, given, offered)
	if err != nil {
		return nil, err
	}
	w.addFacts(values)
	x := &expander{values: values}
	policies, _ := x.expand(t.Policies).([]any)
	notes, _ := x.expand(t.Notes).([]any)
	expect, _ := x.expand(t.Expect).([]any)
	set := &PolicySet{Template: t, Answers: answers, expect: expect}
	if x.holds(t.Leaves.When) {
		set.leaves = t.Leaves.To
	}
	if x.err != nil {
		return nil, fmt.Errorf("template %s: %w", t.Name, x.err)
	}
	for _, n := range notes {
		set.Notes = append(set.Notes, n.(object)["text"].(string))
	}
	all, err := set.nameSet(w, policies)
	if err != nil {
		return nil, err
	}
	at, _ := values["priority"].([]plan.TierPlace)
	return set, set.writeText(w, all, at)
}

// nameSet gives the set its name, or the first free one, and returns its policies.
func (s *PolicySet) nameSet(w *World, policies []any) ([]patternPolicy, error) {
	for n := 1; n <= 100; n++ {
		s.Name = s.Answers[nameAnswer]
		if s.Name == "" {
			s.Name = s.Template.Name
			if n > 1 {
				s.Name += "-" + strconv.Itoa(n)
			}
		}
		all, taken := s.namedPolicies(w, policies)
		switch {
		case taken == "":
			return all, nil
		case s.Answers[nameAnswer] != "":
			return nil, fmt.Errorf("policy %s already exists: choose another name for the set", taken)
		}
	}
	return nil, fmt.Errorf("sets up to %s already exist: give this set a name", s.Name)
}

// namedPolicies returns the policies of the set under its name, and a name already taken by another policy.
// The baseline always has the same name.
func (s *PolicySet) namedPolicies(w *World, policies []any) (out []patternPolicy, taken string) {
	for _, one := range policies {
		fields := one.(object)
		suffix, _ := fields["name"].(string)
		why, _ := fields["why"].(string)
		place, _ := fields["place"].(int64)
		p := patternPolicy{key: model.PolicyKey{Kind: model.KindANP, Name: policyName(s.Name, suffix)}, why: why, place: int(place)}
		kind := model.KindANP
		if fields["kind"] == string(model.KindBANP) {
			kind, p.place, p.key = model.KindBANP, -1, model.PolicyKey{Kind: model.KindBANP, Name: baselineName}
		}
		if w.tiers != nil {
			p.key = model.PolicyKey{Kind: w.tiers.Kind, Name: policyName(s.Name, suffix)}
		}
		metadata, spec := object{"name": p.key.Name}, object{"subject": fields["subject"]}
		if fields["annotations"] != nil {
			metadata["annotations"] = fields["annotations"]
		}
		for _, side := range []string{"ingress", "egress"} {
			if fields[side] != nil {
				spec[side] = fields[side]
			}
		}
		p.admin = object{"apiVersion": "policy.networking.k8s.io/v1alpha1", "kind": string(kind), "metadata": metadata, "spec": spec}
		if p.key.Kind != model.KindBANP && w.Cluster.Policy(p.key) != nil {
			taken = p.key.Name
		}
		out = append(out, p)
	}
	return out, taken
}

// writeText writes the text of the set, with its policies at the given places.
func (s *PolicySet) writeText(w *World, policies []patternPolicy, at []plan.TierPlace) error {
	var texts, bases []string
	for i := range policies {
		p := &policies[i]
		o, err := p.placedObject(w, at)
		if err != nil {
			return fmt.Errorf("template %s: %w", s.Template.Name, err)
		}
		old := w.Cluster.Policy(p.key)
		next, err := buildPolicy(p.key.Kind, o, old)
		if err != nil {
			return fmt.Errorf("writing %s: %w", p.key.Label(), err)
		}
		if old == nil {
			s.New = append(s.New, p.key)
			texts = append(texts, "# "+p.why+".\n"+next.YAML)
		} else {
			s.Changed, bases = append(s.Changed, p.key), append(bases, old.YAML)
			texts = append(texts, next.YAML)
		}
		s.objects = append(s.objects, next)
	}
	s.Text, s.Base = joinDocuments(texts), joinDocuments(bases)
	return nil
}

// placedObject returns the policy with its priority, in the system's own form.
func (p *patternPolicy) placedObject(w *World, at []plan.TierPlace) (o object, err error) {
	var place plan.TierPlace
	if p.place >= 0 {
		place = at[p.place]
		p.admin["spec"].(object)["priority"] = int64(place.Priority)
	}
	if w.tiers == nil {
		return p.admin, nil
	}
	if p.place < 0 {
		if place, err = w.baselinePlace(); err != nil {
			return nil, err
		}
	}
	typed, err := manifests.TypedPolicy(model.Kind(p.admin["kind"].(string)), p.admin)
	if err != nil {
		return nil, err
	}
	admin, err := manifests.FromObject(typed, model.Origin{Item: -1})
	if err != nil {
		return nil, err
	}
	tiered, err := manifests.PolicyObject(w.tiers.InTier(admin, place.Tier, place.Priority))
	if err != nil {
		return nil, err
	}
	return tiered.Original.(*unstructured.Unstructured).Object, nil
}

// buildPolicy returns the policy of an object, written over an existing one: fields outside the spec are kept.
func buildPolicy(kind model.Kind, o object, old *model.Policy) (*model.Policy, error) {
	if old != nil {
		was, err := manifests.UntypedTree(old.Original)
		if err != nil {
			return nil, err
		}
		was["spec"] = o["spec"]
		o = was
	}
	return manifests.PolicyOfTree(old, kind, o)
}

// joinDocuments joins texts as YAML documents. A single text is unchanged.
func joinDocuments(texts []string) string {
	if len(texts) > 1 {
		for i := range texts {
			texts[i] = strings.TrimSuffix(texts[i], "\n") + "\n"
		}
	}
	return strings.Join(texts, "---\n")
}

// longestName keeps OVN-Kubernetes from truncating the names of the policy's ACLs
// (ovn-kubernetes.md#acl-names).
const longestName = 44

// policyName returns the name of a policy of a set: the set's, with a suffix. An invalid suffix or a too long
// name is changed and ends with a hash.
func policyName(set, suffix string) string {
	name := set
	if suffix != "" {
		name += "-" + words.Slug(suffix)
		if words.Slug(suffix) != suffix {
			name += "-" + hashSuffix(suffix)
		}
	}
	if len(name) > longestName {
		name = strings.TrimRight(name[:longestName-7], "-.") + "-" + hashSuffix(set+suffix)
	}
	return name
}

// hashSuffix returns six hex digits that distinguish texts which become the same name.
func hashSuffix(text string) string {
	h := fnv.New32a()
	h.Write([]byte(text))
	return fmt.Sprintf("%06x", h.Sum32()&0xffffff)
}
