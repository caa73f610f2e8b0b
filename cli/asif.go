package cli

import (
	"errors"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"

	"rung/revision"
)

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
