package logline

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"rung/model"
	"rung/model/words"
)

// Fields of a rule, and the words for rules of an action. Without a word they stay unchanged.
const (
	enable, label = "enableLogging", "logLabel"

	On   = "on"
	Off  = "off"
	Keep = "keep"
	// Some: not all rules of the action log.
	Some = "some"
)

// State is a rule's logging as written: nil if not written.
type State struct {
	On    *bool   `json:"on"`
	Label *string `json:"label,omitempty"`
}

func (s State) logs() bool { return s.On != nil && *s.On }

func (s State) equals(o State) bool { return reflect.DeepEqual(s, o) }

// ruleRecord is a rule that a session set. Later lookups use the digest, name or index.
type ruleRecord struct {
	In   string `json:"in"` // ingress, egress
	Rule int    `json:"rule"`
	Name string `json:"name,omitempty"`
	Is   string `json:"is"`
	State
}

func (e *ruleRecord) text() string {
	return fmt.Sprintf("%s %d%s", e.In, e.Rule, words.Between(" (", words.CleanText(e.Name), ")"))
}

// treeRule is a rule in an object tree.
type treeRule struct {
	ruleRecord
	fields map[string]any
}

var sides = []string{"ingress", "egress"}

// listTreeRules returns the rules of a policy's object tree, with their logging.
func listTreeRules(tree map[string]any) (out []treeRule) {
	spec, _ := tree["spec"].(map[string]any)
	for _, side := range sides {
		rules, _ := spec[side].([]any)
		for i, r := range rules {
			fields, _ := r.(map[string]any)
			if fields == nil {
				continue
			}
			w := treeRule{ruleRecord{In: side, Rule: i, Is: digest(fields)}, fields}
			w.Name, _ = fields["name"].(string)
			if on, ok := fields[enable].(bool); ok {
				w.On = &on
			}
			if text, ok := fields[label].(string); ok {
				w.Label = &text
			}
			out = append(out, w)
		}
	}
	return out
}

// digest hashes a rule without its logging.
func digest(fields map[string]any) string {
	rest := map[string]any{}
	for name, v := range fields {
		if name != enable && name != label && v != nil {
			rest[name] = v
		}
	}
	sum := sha256.Sum256([]byte(model.CompactJSON(rest)))
	return hex.EncodeToString(sum[:4])
}

// put writes the logging of a rule.
func (w *treeRule) put(s State) {
	w.State = s
	delete(w.fields, enable)
	delete(w.fields, label)
	if s.On != nil {
		w.fields[enable] = *s.On
	}
	if s.Label != nil {
		w.fields[label] = *s.Label
	}
}

func (w *treeRule) action() model.Action {
	switch a, _ := w.fields["action"].(string); a {
	case string(model.Allow), string(model.Pass):
		return model.Action(a)
	}
	return model.Deny
}

// copyPolicyTree returns a copy of a policy's object tree; nil if it has none.
func copyPolicyTree(p *model.Policy) map[string]any {
	if u, ok := p.Original.(*unstructured.Unstructured); ok && p.Tiered != nil {
		return runtime.DeepCopyJSON(u.Object)
	}
	return nil
}

// WhyInvalid returns why words are invalid for a policy's rules; empty if they are valid.
func WhyInvalid(l model.LogLevels) string {
	for _, word := range []string{l.Deny, l.Allow, l.Pass} {
		if word != "" && !slices.Contains([]string{On, Off, Keep}, word) {
			return fmt.Sprintf("%q: its rules have no log level: want %s or %s", word, On, Off)
		}
	}
	return ""
}

// SwitchLogging returns a policy's object tree with the logging of its rules set by action. Rules that are switched
// on also get the label text unless it is empty. Without any word all rules are off. set and former are what a
// session records.
func SwitchLogging(p *model.Policy, l model.LogLevels, text string) (tree map[string]any, set, former string) {
	tree = copyPolicyTree(p)
	rules := listTreeRules(tree)
	sets, formers := []ruleRecord{}, []State{}
	for i := range rules {
		w := &rules[i]
		was, word := w.State, l.ForAction(w.action())
		if !l.IsOn() {
			word = Off
		}
		next := was
		switch {
		case word == On:
			yes := true
			next.On = &yes
			if text != "" {
				next.Label = &text
			}
		case word == Off && was.logs():
			next.On = nil
		}
		if next.equals(was) {
			continue
		}
		w.put(next)
		sets, formers = append(sets, w.ruleRecord), append(formers, was)
	}
	return tree, model.CompactJSON(sets), model.CompactJSON(formers)
}

// record parses what a session recorded; ok is false if SwitchLogging did not write it.
func record(s model.LogSession) (set []ruleRecord, former []State, ok bool) {
	if json.Unmarshal([]byte(s.Set), &set) != nil || json.Unmarshal([]byte(s.Former), &former) != nil {
		return nil, nil, false
	}
	return set, former, len(set) == len(former)
}

// IsRecord reports whether a session recorded rules.
func IsRecord(s model.LogSession) bool {
	_, _, ok := record(s)
	return ok
}

// find pairs what a session set with the current rules: nil for rules that are gone.
func find(set []ruleRecord, rules []treeRule) []*treeRule {
	out, taken := make([]*treeRule, len(set)), map[*treeRule]bool{}
	take := func(fits func(e *ruleRecord, w *treeRule) bool) {
		for i := range set {
			var found []*treeRule
			for j := range rules {
				if w := &rules[j]; out[i] == nil && !taken[w] && w.In == set[i].In && fits(&set[i], w) {
					found = append(found, w)
				}
			}
			if len(found) == 1 {
				out[i], taken[found[0]] = found[0], true
			}
		}
	}
	take(func(e *ruleRecord, w *treeRule) bool { return e.Is == w.Is && e.Rule == w.Rule })
	take(func(e *ruleRecord, w *treeRule) bool { return e.Is == w.Is })
	take(func(e *ruleRecord, w *treeRule) bool { return e.Name != "" && e.Name == w.Name })
	take(func(e *ruleRecord, w *treeRule) bool { return e.Name == "" && w.Name == "" && e.Rule == w.Rule })
	return out
}

// RestoreLogging returns a policy's object tree with the rules of a session restored. kept names the rules that somebody
// else changed since; they stay unchanged.
func RestoreLogging(p *model.Policy, s model.LogSession) (tree map[string]any, kept []string) {
	tree = copyPolicyTree(p)
	set, former, _ := record(s)
	for i, w := range find(set, listTreeRules(tree)) {
		switch {
		case w == nil:
		case w.State.equals(set[i].State):
			w.put(former[i])
		default:
			kept = append(kept, w.text())
		}
	}
	return tree, kept
}

// RulesAfterSession returns the rules of a policy as they will be after a session.
func RulesAfterSession(p *model.Policy, s model.LogSession) (ingress, egress []model.Rule) {
	tree, _ := RestoreLogging(p, s)
	ingress, egress = slices.Clone(p.Ingress), slices.Clone(p.Egress)
	for _, w := range listTreeRules(tree) {
		rules := words.Choose(w.In == "egress", egress, ingress)
		if w.Rule < len(rules) && rules[w.Rule].Tiered != nil {
			a := *rules[w.Rule].Tiered
			a.Logging, a.LogLabel = w.logs(), ""
			if w.Label != nil {
				a.LogLabel = words.CleanText(*w.Label)
			}
			rules[w.Rule].Tiered = &a
		}
	}
	return ingress, egress
}

// ReapplyLogging returns a policy's object tree with the logging that a session set.
func ReapplyLogging(p *model.Policy, s model.LogSession) map[string]any {
	tree := copyPolicyTree(p)
	set, _, _ := record(s)
	for i, w := range find(set, listTreeRules(tree)) {
		if w != nil {
			w.put(set[i].State)
		}
	}
	return tree
}

// LevelChanged reports whether somebody else changed the level that a session set on an object.
func LevelChanged(m *model.Meta, s model.LogSession) bool {
	now, has := m.Annotations[model.AnnotationLogging]
	return !has || now != s.Set
}

// IsChanged reports whether somebody else changed everything that a session set on a policy or namespace.
func IsChanged(p *model.Policy, s model.LogSession) bool {
	if p.Tiered == nil {
		return LevelChanged(&p.Meta, s)
	}
	set, _, _ := record(s)
	_, kept := RestoreLogging(p, s)
	return len(set) > 0 && len(kept) == len(set)
}

// LoggingByAction returns the current words of a policy's rules by action: on, some, or empty.
func LoggingByAction(p *model.Policy) (l model.LogLevels) {
	for _, a := range []struct {
		action model.Action
		at     *string
	}{{model.Deny, &l.Deny}, {model.Allow, &l.Allow}, {model.Pass, &l.Pass}} {
		on, all := 0, 0
		for r := range p.AllRules() {
			if r.Action == a.action && r.Tiered != nil {
				all++
				if r.Tiered.Logging {
					on++
				}
			}
		}
		switch {
		case on > 0 && on == all:
			*a.at = On
		case on > 0:
			*a.at = Some
		}
	}
	return l
}

// formerLevel returns the level that the end of a session restores.
func formerLevel(s model.LogSession) string {
	switch {
	case !s.HadFormer:
		return "no annotation"
	case s.Former == "":
		return "an empty annotation"
	}
	return words.CleanText(s.Former)
}

// FormerText describes what the end of a session restores.
func FormerText(s model.LogSession) string {
	set, former, ok := record(s)
	if !ok {
		return formerLevel(s)
	}
	var logged, silent []string
	for i := range set {
		if former[i].logs() {
			logged = append(logged, set[i].text())
		} else {
			silent = append(silent, set[i].text())
		}
	}
	var parts []string
	if len(silent) > 0 {
		parts = append(parts, words.ListFew(silent, 3)+" without enableLogging")
	}
	if len(logged) > 0 {
		parts = append(parts, words.ListFew(logged, 3)+" with enableLogging")
	}
	return cmp.Or(strings.Join(parts, "; "), "no rule changes")
}

// SetText describes what a session set, from its recorded text.
func SetText(set string) string {
	var all []ruleRecord
	if json.Unmarshal([]byte(set), &all) != nil {
		return words.CleanText(set)
	}
	on := 0
	for i := range all {
		if all[i].logs() {
			on++
		}
	}
	switch off := len(all) - on; {
	case off == 0:
		return words.Count(on, "rule") + " on"
	case on == 0:
		return words.Count(off, "rule") + " off"
	default:
		return fmt.Sprintf("%s on, %s off", words.Count(on, "rule"), words.Thousands(off))
	}
}

// EndText describes what the end of a session does to a policy or namespace.
func EndText(p *model.Policy, s model.LogSession) string {
	switch {
	case p.Tiered == nil && LevelChanged(&p.Meta, s):
		return "the level was changed since and is kept"
	case p.Tiered == nil:
		return "the annotation is restored: " + formerLevel(s)
	}
	text := "its rules log as before the session: " + FormerText(s)
	if _, kept := RestoreLogging(p, s); len(kept) > 0 {
		text += "; changed since and kept: " + words.ListFew(kept, 3)
	}
	return text
}
