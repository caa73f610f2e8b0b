package manifests

import (
	"cmp"
	"fmt"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"rung/model"
)

// All that is wrong with a text is told at once: mistakes of syntax, of the API's types, of its rules,
// and what the plugin cannot take; each once, with its line.
func TestAllMistakesAtOnce(t *testing.T) {
	np := func(spec string) string {
		return "apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: {name: bad, namespace: blue}\nspec:\n" + spec
	}
	for _, c := range []struct {
		name, text string
		want       []string // line, and field or what is wrong
	}{
		{"an alias, a colon, a port range", anpHead + "metadata: {name: bad}\nspec:\n  priority: *p\n  subject:\n    namespaces: {}\n  ingress\n" +
			"  - action: Deny\n    from:\n    - namespaces: {}\n    ports:\n    - portRange: {start: 90, end: 80}\n",
			[]string{"5 is not YAML: unknown anchor 'p' referenced", "8 is not YAML: this line needs a colon after its key", "13 spec.ingress[0].ports[0].portRange"}},
		{"two indents, a name, an action", anpHead + "metadata:\n  name: Bad_Name\n   labels: {}\nspec:\n  priority: 1\n   subject:\n    namespaces: {}\n" +
			"  ingress:\n  - action: Alow\n    from:\n    - namespaces: {}\n  egress: []\n",
			[]string{"4 metadata.name", "5 is not YAML: indented 3, expected 2", "8 is not YAML: indented 3, expected 2", "11 spec.ingress[0].action"}},
		{"types, protocols and ranges", anpWith("  ingress:\n  - action: Deny\n    from:\n    - namespaces: {}\n    ports:\n    - portNumber: {port: '80'}\n" +
			"    - portNumber: {protocol: ICMP, port: 80}\n    - portRange: {start: 9, end: 8}\n"),
			[]string{"14 spec.ingress[0].ports[0].portNumber.port", "15 spec.ingress[0].ports[1].portNumber.protocol", "16 spec.ingress[0].ports[2].portRange"}},
		{"a field that was meant, and its value", anpHead + "metadata: {name: bad}\nspec:\n  priorty: 1001\n  subject: {namespaces: {}}\n",
			[]string{"5 spec.priority", "5 spec.priorty"}},
		{"a NetworkPolicy of another type", np("  podSelector: {}\n  policyTypes: Egress\n  egress:\n  - ports:\n    - {port: 99999}\n    to:\n    - {}\n"),
			[]string{"6 spec.policyTypes", "9 spec.egress[0].ports[0].port", "11 spec.egress[0].to[0]"}},
		{"a quote that is not closed", anpHead + "metadata: {name: \"bad}\nspec:\n  priority: 1001\n",
			[]string{"3 is not YAML: found unexpected end of stream", "4 spec.subject", "5 spec.priority"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := Parse("", []byte(c.text), Options{Limits: Limits{AliasNodes: 1000}})
			var got []string
			for _, b := range r.Broken {
				if b.IsError() {
					got = append(got, fmt.Sprintf("%d %s", b.Origin.Line, cmp.Or(b.Field, b.Message)))
				}
			}
			for _, o := range r.Objects {
				if p, ok := o.(*model.Policy); ok {
					t.Errorf("%s was taken in, for all its mistakes", p.Key)
				}
			}
			sortLines(got)
			if d := gocmp.Diff(c.want, got); d != "" {
				t.Errorf("-want +got\n%s\n%s", d, c.text)
			}
		})
	}
}

// sortLines orders texts that begin with the number of a line.
func sortLines(lines []string) {
	var n int
	key := func(s string) string { fmt.Sscan(s, &n); return fmt.Sprintf("%06d %s", n, s) }
	for i := range lines {
		for j := i; j > 0 && strings.Compare(key(lines[j]), key(lines[j-1])) < 0; j-- {
			lines[j], lines[j-1] = lines[j-1], lines[j]
		}
	}
}
