package template

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation"

	"rung/model"
	"rung/model/words"
)

// Answers with a special meaning.
const (
	allNamespaces = "all"
	noneAnswer    = "none"
	anyPort       = "any"
)

// mostValues bounds a typed list; the API takes 100 peers and ports in a rule.
const mostValues = 100

// splitList splits a comma-separated list.
func splitList(text string) (out []string) {
	for _, v := range strings.Split(text, ",") {
		v = strings.TrimSpace(v)
		if v != "" && !slices.Contains(out, v) {
			out = append(out, v)
		}
	}
	return out
}

// CheckAnswer checks an answer and returns its normal form. before holds the earlier answers.
func (t *Template) CheckAnswer(w *World, q *Question, text string, before Answers) (string, error) {
	return t.readAnswer(w, q, text, before, object{})
}

// readAnswer is CheckAnswer, which also adds the values of the answer's placeholders.
func (t *Template) readAnswer(w *World, q *Question, text string, before Answers, values object) (string, error) {
	text = strings.TrimSpace(text)
	if text == "" && q.Kind != Name {
		return "", errors.New("want " + q.Kind.Form())
	}
	values[q.Name] = text
	switch q.Kind {
	case LabelKey:
		if bad := validation.IsQualifiedName(text); len(bad) > 0 {
			return "", errors.New("invalid label key: " + bad[0])
		}
	case Values:
		texts := splitList(text)
		if len(texts) > mostValues {
			return "", fmt.Errorf("%d values, at most %d", len(texts), mostValues)
		}
		var all []any
		for _, v := range texts {
			if bad := validation.IsValidLabelValue(v); len(bad) > 0 {
				return "", fmt.Errorf("%q is not a label value: %s", v, bad[0])
			}
			all = append(all, v)
		}
		values[q.Name] = all
		text = strings.Join(texts, ",")
	case Namespaces, Pods:
		text = strings.Join(strings.Fields(text), " ") // used in comments of the text
		if text == noneAnswer && q.Offer == noneOrNamespaces {
			values[q.Name] = nil
			return text, nil
		}
		if p := w.podNamed(text); p != nil {
			return "", fmt.Errorf("%s/%s is a pod: want a label, KEY=VALUE; its labels: %s", p.Namespace, p.Name, words.OrNone(p.Labels.String()))
		}
		s, err := parseSelector(text)
		if err != nil {
			return "", err
		}
		if q.Kind == Pods && len(s.MatchLabels)+len(s.MatchExpressions) == 0 {
			return "", errors.New("want labels of pods, not every pod")
		}
		values[q.Name], values[q.Name+"Text"] = selectorObject(s), text
		values[q.Name+"Count"] = words.Count(len(w.selectNamespaces(s)), "namespace")
	case Ports:
		ports, err := parsePorts(text)
		if err != nil {
			return "", err
		}
		values[q.Name], values[q.Name+"Texts"] = portValues(ports)
		text = strings.Join(splitList(text), ",")
	case Priorities:
		at, err := t.parsePlaces(w, text)
		values[q.Name] = at
		return placesText(at), err
	case OneOf:
		var choices []string
		for _, c := range w.OfferedChoices(t, q, before) {
			choices = append(choices, c.Value)
		}
		if !slices.Contains(choices, text) {
			return "", errors.New("want one of " + strings.Join(choices, ", "))
		}
	case Name:
		if bad := validation.IsDNS1123Label(text); text != "" && len(bad) > 0 {
			return "", errors.New("invalid name of a set: " + bad[0])
		}
	}
	return text, nil
}

// parseSelector parses labels as people write them.
func parseSelector(text string) (*metav1.LabelSelector, error) {
	text = strings.TrimSpace(text)
	if text == allNamespaces {
		return &metav1.LabelSelector{}, nil
	}
	s, err := metav1.ParseToLabelSelector(text)
	if err != nil {
		return nil, fmt.Errorf("invalid labels: %w", err)
	}
	if name, ok := s.MatchLabels["name"]; ok && len(s.MatchLabels) == 1 && len(s.MatchExpressions) == 0 {
		s.MatchLabels = map[string]string{nameLabel: name}
	}
	for i := range s.MatchExpressions {
		slices.Sort(s.MatchExpressions[i].Values)
	}
	if _, err := model.NewSelector(s); err != nil {
		return nil, err
	}
	if len(s.MatchLabels)+len(s.MatchExpressions) == 0 {
		return nil, errors.New("names no label")
	}
	return s, nil
}

// parsePorts parses ports; nil for any.
func parsePorts(text string) (out []model.Port, err error) {
	fields := splitList(text)
	if len(fields) == 1 && fields[0] == anyPort {
		return nil, nil
	}
	if len(fields) > mostValues {
		return nil, fmt.Errorf("%d ports, at most %d", len(fields), mostValues)
	}
	for _, f := range fields {
		number, protocol, ok := strings.Cut(f, "/")
		protocol = strings.ToUpper(protocol)
		if !ok {
			protocol = "TCP"
		}
		if !model.KnowsProtocol(protocol) {
			return nil, fmt.Errorf("%s: want TCP, UDP or SCTP after the slash", f)
		}
		from, to, ranged := strings.Cut(number, "-")
		if !ranged {
			to = from
		}
		lo, err1 := strconv.ParseUint(from, 10, 16)
		hi, err2 := strconv.ParseUint(to, 10, 16)
		if err1 != nil || err2 != nil || lo == 0 || hi < lo {
			return nil, fmt.Errorf("%s is not a port: want %s", f, Ports.Form())
		}
		out = append(out, model.Port{Protocol: protocol, Start: int32(lo), End: int32(hi)})
	}
	return out, nil
}

// podNamed returns the pod that an answer names by NAMESPACE/NAME, or by NAME if no pod has a label of that
// key; nil if none.
func (w *World) podNamed(text string) *model.Pod {
	if ns, name, ok := strings.Cut(text, "/"); ok {
		return w.Cluster.Pod(ns, name)
	}
	var named *model.Pod
	for p := range w.Cluster.Pods() {
		if _, isKey := p.Labels.Map()[text]; isKey {
			return nil
		}
		if p.Name == text {
			named = p
		}
	}
	return named
}
