package manifests

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/network-policy-api/apis/v1alpha1"

	"rung/model"
)

// head is what the objects of these tests begin with.
const head = "apiVersion: policy.networking.k8s.io/v1alpha1\nkind: AdminNetworkPolicy\n"

const blueText = "apiVersion: v1\nkind: Namespace\nmetadata: {name: blue}\n"

// editCase changes the policy "a" of a text with f.
type editCase struct {
	name       string
	file       string // x.yaml by default
	text, want string
	f          func(*v1alpha1.AdminNetworkPolicy)
}

func setPriority(p int32) func(*v1alpha1.AdminNetworkPolicy) {
	return func(a *v1alpha1.AdminNetworkPolicy) { a.Spec.Priority = p }
}

func setLogging(v string) func(*v1alpha1.AdminNetworkPolicy) {
	return func(a *v1alpha1.AdminNetworkPolicy) {
		if a.Annotations == nil {
			a.Annotations = map[string]string{}
		}
		a.Annotations[model.AnnotationLogging] = v
	}
}

func clearLogging(a *v1alpha1.AdminNetworkPolicy) { delete(a.Annotations, model.AnnotationLogging) }

// find reads text and returns the policy "a".
func find(t *testing.T, file, text string) *model.Policy {
	t.Helper()
	r := Parse(file, []byte(text), Options{SkipSchema: true})
	for _, p := range r.Policies() {
		if p.Name == "a" {
			return p
		}
	}
	t.Fatalf("no policy a in the text; broken: %v", r.Broken)
	return nil
}

func setEdit(p *model.Policy, f func(*v1alpha1.AdminNetworkPolicy)) Edit {
	o := p.Original.(*v1alpha1.AdminNetworkPolicy).DeepCopy()
	f(o)
	return Edit{Op: EditSet, Key: p.Key, Origin: p.Origin, Object: o}
}

func TestRewriteSet(t *testing.T) {
	for _, c := range editCases {
		t.Run(c.name, func(t *testing.T) {
			file := c.file
			if file == "" {
				file = "x.yaml"
			}
			got, err := rewriteText(file, []byte(c.text), []Edit{setEdit(find(t, file, c.text), c.f)})
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(c.want, string(got)); d != "" {
				t.Errorf("-want +got\n%s", d)
			}
		})
	}
}

const commented = `# The tenants of the blue house.
apiVersion: policy.networking.k8s.io/v1alpha1
kind: AdminNetworkPolicy
metadata:
  name: a   # short
  labels: {team: "net"}

spec:
  # Between break-glass and the tenants.
  priority: 34 # was 30
  subject:
    namespaces: {}
  ingress:
  # rule 0
  - name: "one" # first
    action: "Allow"
    from:
    - namespaces:
        matchLabels:
          tenant: blue
  # rule 1
  - name: two
    action: Deny
    from:
    - namespaces: {}
# the end
`

// with replaces one part of a text and fails when it is not there once.
func with(text string, oldNew ...string) string {
	for i := 0; i < len(oldNew); i += 2 {
		if strings.Count(text, oldNew[i]) != 1 {
			panic("not exactly once: " + oldNew[i])
		}
		text = strings.Replace(text, oldNew[i], oldNew[i+1], 1)
	}
	return text
}

func crlf(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") }

var editCases = []editCase{
	{name: "one scalar, all else stays", text: commented, f: setPriority(36), want: with(commented, "priority: 34 #", "priority: 36 #")},
	{name: "nothing to do", text: commented, f: setPriority(34), want: commented},
	{name: "crlf", text: crlf(commented), f: setPriority(36), want: crlf(with(commented, "priority: 34 #", "priority: 36 #"))},
	{name: "crlf, a field is added", text: crlf(commented), f: setLogging(`{"deny":"alert"}`),
		want: crlf(with(commented, "team: \"net\"}\n", "team: \"net\"}\n  annotations:\n    k8s.ovn.org/acl-logging: '{\"deny\":\"alert\"}'\n"))},
	{name: "byte order mark", text: "\ufeff" + commented, f: setPriority(36), want: "\ufeff" + with(commented, "priority: 34 #", "priority: 36 #")},
	{name: "double quotes stay", text: commented, f: func(a *v1alpha1.AdminNetworkPolicy) { a.Spec.Ingress[0].Name = "say \"hi\"" },
		want: with(commented, `"one"`, `"say \"hi\""`)},
	{name: "plain becomes quoted when it must", text: commented, f: func(a *v1alpha1.AdminNetworkPolicy) { a.Spec.Ingress[1].Name = "yes" },
		want: with(commented, "name: two", "name: 'yes'")},
	{name: "no newline at the end", text: head + "metadata:\n  name: a\nspec:\n  subject:\n    namespaces: {}\n  priority: 5", f: setPriority(7),
		want: head + "metadata:\n  name: a\nspec:\n  subject:\n    namespaces: {}\n  priority: 7"},
	{name: "no newline at the end, a field is added there",
		text: head + "spec:\n  subject:\n    namespaces: {}\n  priority: 5\nmetadata:\n  name: a", f: setLogging("{}"),
		want: head + "spec:\n  subject:\n    namespaces: {}\n  priority: 5\nmetadata:\n  name: a\n  annotations:\n    k8s.ovn.org/acl-logging: '{}'"},
	{name: "a rule is added at the end", text: commented, f: func(a *v1alpha1.AdminNetworkPolicy) {
		r := a.Spec.Ingress[1]
		r.Name = "three"
		a.Spec.Ingress = append(a.Spec.Ingress, r)
	}, want: with(commented, "# the end", "  - name: three\n    action: Deny\n    from:\n    - namespaces: {}\n# the end")},
	{name: "a rule is added in front", text: commented, f: func(a *v1alpha1.AdminNetworkPolicy) {
		r := a.Spec.Ingress[1]
		r.Name = "zero"
		a.Spec.Ingress = append([]v1alpha1.AdminNetworkPolicyIngressRule{r}, a.Spec.Ingress...)
	}, want: with(commented, "  # rule 0\n", "  - name: zero\n    action: Deny\n    from:\n    - namespaces: {}\n  # rule 0\n")},
	{name: "a rule is taken out", text: commented, f: func(a *v1alpha1.AdminNetworkPolicy) { a.Spec.Ingress = a.Spec.Ingress[1:] },
		want: with(commented, "  - name: \"one\" # first\n    action: \"Allow\"\n    from:\n    - namespaces:\n        matchLabels:\n          tenant: blue\n", "")},
	{name: "all rules are taken out", text: commented, f: func(a *v1alpha1.AdminNetworkPolicy) { a.Spec.Ingress = nil },
		want: with(commented, commented[strings.Index(commented, "  ingress:"):strings.Index(commented, "# the end")], "")},
	{name: "two rules change places", text: commented, f: func(a *v1alpha1.AdminNetworkPolicy) {
		a.Spec.Ingress[0], a.Spec.Ingress[1] = a.Spec.Ingress[1], a.Spec.Ingress[0]
	}, want: with(commented, "  - name: \"one\" # first\n    action: \"Allow\"\n    from:\n    - namespaces:\n        matchLabels:\n          tenant: blue\n", "",
		"    - namespaces: {}\n", "    - namespaces: {}\n  - name: one\n    action: Allow\n    from:\n    - namespaces:\n        matchLabels:\n          tenant: blue\n")},
	{name: "a peer becomes another kind of peer", text: commented, f: func(a *v1alpha1.AdminNetworkPolicy) {
		a.Spec.Ingress[0].From[0] = v1alpha1.AdminNetworkPolicyIngressPeer{Pods: &v1alpha1.NamespacedPod{}}
	}, want: with(commented, "    - namespaces:\n        matchLabels:\n          tenant: blue\n",
		"    - pods:\n        namespaceSelector: {}\n        podSelector: {}\n")},
	{name: "a selector becomes everything", text: commented, f: func(a *v1alpha1.AdminNetworkPolicy) {
		a.Spec.Ingress[0].From[0].Namespaces.MatchLabels = nil
	}, want: with(commented, "    - namespaces:\n        matchLabels:\n          tenant: blue\n", "    - namespaces: {}\n")},
	{name: "everything becomes a selector", text: commented, f: func(a *v1alpha1.AdminNetworkPolicy) {
		a.Spec.Subject.Namespaces.MatchLabels = map[string]string{"tenant": "blue"}
	}, want: with(commented, "subject:\n    namespaces: {}", "subject:\n    namespaces: {matchLabels: {tenant: blue}}")},
	{name: "a label in a flow mapping", text: commented, f: func(a *v1alpha1.AdminNetworkPolicy) { a.Labels["env"] = "prod, test" },
		want: with(commented, `{team: "net"}`, `{team: "net", env: 'prod, test'}`)},
	{name: "the last label goes", text: commented, f: func(a *v1alpha1.AdminNetworkPolicy) { a.Labels = nil },
		want: with(commented, "  labels: {team: \"net\"}\n", "")},
	{name: "the first field of a list element goes", text: commented, f: func(a *v1alpha1.AdminNetworkPolicy) { a.Spec.Ingress[1].Name = "" },
		want: with(commented, "  - name: two\n    action: Deny\n", "  - action: Deny\n")},
	{name: "the first field goes, a comment stays", text: with(commented, "name: two\n", "name: two # b\n"),
		f:    func(a *v1alpha1.AdminNetworkPolicy) { a.Spec.Ingress[1].Name = "" },
		want: with(commented, "name: two\n", " # b\n")},
	{name: "literal scalar", text: head + "metadata:\n  name: a\n  annotations:\n    k8s.ovn.org/acl-logging: |\n      {\n        \"deny\": \"alert\"\n      }\n\n  # labels\n  labels: {a: b}\nspec: {priority: 1, subject: {namespaces: {}}}\n",
		f:    setLogging(`{"deny":"info"}`),
		want: head + "metadata:\n  name: a\n  annotations:\n    k8s.ovn.org/acl-logging: '{\"deny\":\"info\"}'\n\n  # labels\n  labels: {a: b}\nspec: {priority: 1, subject: {namespaces: {}}}\n"},
	{name: "the only annotation goes", text: head + "metadata:\n  name: a\n  annotations: # logging\n    k8s.ovn.org/acl-logging: >-\n      {\"deny\":\n      \"alert\"}\nspec: {priority: 1, subject: {namespaces: {}}}\n",
		f:    clearLogging,
		want: head + "metadata:\n  name: a\nspec: {priority: 1, subject: {namespaces: {}}}\n"},
	{name: "a null becomes a mapping", text: head + "metadata:\n  name: a\n  annotations: # none\nspec: {priority: 1, subject: {namespaces: {}}}\n",
		f:    setLogging(`{"deny":"info"}`),
		want: head + "metadata:\n  name: a\n  annotations: # none\n    k8s.ovn.org/acl-logging: '{\"deny\":\"info\"}'\nspec: {priority: 1, subject: {namespaces: {}}}\n"},
	{name: "an empty mapping is filled", text: head + "metadata:\n  name: a\n  annotations: {} # none\nspec: {priority: 1, subject: {namespaces: {}}}\n",
		f:    setLogging(`{"deny":"info"}`),
		want: head + "metadata:\n  name: a\n  annotations: {k8s.ovn.org/acl-logging: '{\"deny\":\"info\"}'} # none\nspec: {priority: 1, subject: {namespaces: {}}}\n"},
	{name: "flow style over lines", text: head + "metadata: {name: a}\nspec: {\n  subject: {namespaces: {}}, # all\n  priority: 5,\n}\n", f: setPriority(6),
		want: head + "metadata: {name: a}\nspec: {\n  subject: {namespaces: {}}, # all\n  priority: 6,\n}\n"},
	{name: "other documents stay", text: "# one\n---\n# broken: [\nfoo: [\n---\n" + commented + "---\n{unrelated: x}\n...\n# end\n", f: setPriority(1),
		want: "# one\n---\n# broken: [\nfoo: [\n---\n" + with(commented, "priority: 34 #", "priority: 1 #") + "---\n{unrelated: x}\n...\n# end\n"},
	{name: "an item of a List", text: "apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: Namespace\n  metadata:\n    name: n # c\n" + dashed(commented) + "- apiVersion: v1\n  kind: Namespace\n  metadata: {name: m}\n",
		f:    setPriority(36),
		want: "apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: Namespace\n  metadata:\n    name: n # c\n" + dashed(with(commented, "priority: 34 #", "priority: 36 #")) + "- apiVersion: v1\n  kind: Namespace\n  metadata: {name: m}\n"},
	{name: "an anchor elsewhere", text: head + "metadata: {name: a}\nspec:\n  priority: 5\n  subject: &s\n    namespaces: {}\n  ingress:\n  - action: Deny\n    from: [*s]\n", f: setPriority(6),
		want: head + "metadata: {name: a}\nspec:\n  priority: 6\n  subject: &s\n    namespaces: {}\n  ingress:\n  - action: Deny\n    from: [*s]\n"},
	{name: "an alias is written out", text: head + "metadata: {name: a}\nspec:\n  priority: 5\n  subject: &s\n    namespaces: {}\n  ingress:\n  - action: Deny\n    from:\n    - *s\n",
		f: func(a *v1alpha1.AdminNetworkPolicy) {
			a.Spec.Ingress[0].From[0].Namespaces.MatchLabels = map[string]string{"x": "y"}
		},
		want: head + "metadata: {name: a}\nspec:\n  priority: 5\n  subject: &s\n    namespaces: {}\n  ingress:\n  - action: Deny\n    from:\n    - {namespaces: {matchLabels: {x: 'y'}}}\n"},
	{name: "indented lists and four columns", text: head + "metadata:\n    name: a\nspec:\n    priority: 5\n    subject:\n        namespaces: {}\n    ingress:\n      - action: Deny\n        from:\n          - namespaces: {}\n",
		f: func(a *v1alpha1.AdminNetworkPolicy) {
			a.Spec.Ingress = append(a.Spec.Ingress, v1alpha1.AdminNetworkPolicyIngressRule{Action: "Allow", From: a.Spec.Ingress[0].From})
		},
		want: head + "metadata:\n    name: a\nspec:\n    priority: 5\n    subject:\n        namespaces: {}\n    ingress:\n      - action: Deny\n        from:\n          - namespaces: {}\n      - action: Allow\n        from:\n          - namespaces: {}\n"},
	{name: "a default protocol is not written", text: head + "metadata: {name: a}\nspec:\n  priority: 5\n  subject: {namespaces: {}}\n  ingress:\n  - action: Deny\n    from:\n    - namespaces: {}\n    ports:\n    - portNumber: {port: 80}\n",
		f:    func(a *v1alpha1.AdminNetworkPolicy) { (*a.Spec.Ingress[0].Ports)[0].PortNumber.Port = 81 },
		want: head + "metadata: {name: a}\nspec:\n  priority: 5\n  subject: {namespaces: {}}\n  ingress:\n  - action: Deny\n    from:\n    - namespaces: {}\n    ports:\n    - portNumber: {port: 81}\n"},
	{name: "status and server's metadata stay", text: head + "metadata:\n  creationTimestamp: \"2026-01-01T00:00:00Z\"\n  generation: 3\n  name: a\n  uid: u-1\nspec:\n  priority: 5\n  subject:\n    namespaces: {}\nstatus:\n  conditions: []\n", f: setPriority(6),
		want: head + "metadata:\n  creationTimestamp: \"2026-01-01T00:00:00Z\"\n  generation: 3\n  name: a\n  uid: u-1\nspec:\n  priority: 6\n  subject:\n    namespaces: {}\nstatus:\n  conditions: []\n"},
	{name: "json over lines", file: "x.json", text: jsonText, f: setLogging(`{"deny":"<alert>"}`),
		want: with(jsonText, "\"name\": \"a\"\n", "\"name\": \"a\",\n    \"annotations\": {\n      \"k8s.ovn.org/acl-logging\": \"{\\\"deny\\\":\\\"<alert>\\\"}\"\n    }\n")},
	{name: "json, a rule goes", file: "x.json", text: jsonText, f: func(a *v1alpha1.AdminNetworkPolicy) { a.Spec.Ingress = a.Spec.Ingress[:1] },
		want: with(jsonText, ",\n      {\"action\": \"Deny\", \"from\": [{\"namespaces\": {}}]}", "")},
	{name: "json on one line", file: "x.json", text: `{"apiVersion":"policy.networking.k8s.io/v1alpha1","kind":"AdminNetworkPolicy","metadata":{"name":"a"},"spec":{"priority":5,"subject":{"namespaces":{}}}}`,
		f:    setPriority(60),
		want: `{"apiVersion":"policy.networking.k8s.io/v1alpha1","kind":"AdminNetworkPolicy","metadata":{"name":"a"},"spec":{"priority":60,"subject":{"namespaces":{}}}}`},
	{name: "a json item of a List", file: "x.json", text: "{\"apiVersion\": \"v1\", \"kind\": \"List\", \"items\": [\n  {\"é\": 1},\n  " + strings.TrimSpace(jsonText) + "\n]}", f: setPriority(9),
		want: "{\"apiVersion\": \"v1\", \"kind\": \"List\", \"items\": [\n  {\"é\": 1},\n  " + strings.TrimSpace(with(jsonText, "\"priority\": 5", "\"priority\": 9")) + "\n]}"},
}

const jsonText = `{
  "apiVersion": "policy.networking.k8s.io/v1alpha1",
  "kind": "AdminNetworkPolicy",
  "metadata": {
    "name": "a"
  },
  "spec": {
    "priority": 5,
    "subject": {"namespaces": {}},
    "ingress": [
      {"action": "Allow", "from": [{"namespaces": {}}]},
      {"action": "Deny", "from": [{"namespaces": {}}]}
    ]
  }
}
`

// dashed makes an item of a List of a text.
func dashed(s string) string {
	lines := strings.SplitAfter(strings.TrimSuffix(s, "\n"), "\n")
	for i := range lines {
		if strings.TrimSpace(lines[i]) != "" {
			lines[i] = "  " + lines[i]
		}
	}
	s = strings.Join(lines, "") + "\n"
	i := strings.Index(s, "  apiVersion")
	return s[:i] + "- " + s[i+2:]
}

func TestRewriteRefuses(t *testing.T) {
	anchored := head + "metadata: {name: a}\nspec:\n  priority: 5\n  subject: &s\n    namespaces: {}\n  ingress:\n  - action: Deny\n    from: [*s]\n"
	merged := head + "metadata:\n  name: a\n  labels: &l {x: v}\n  annotations: {<<: *l, z: w}\nspec: {priority: 5, subject: {namespaces: {}}}\n"
	p := find(t, "x.yaml", commented)
	other := p.Key
	other.Name = "b"
	moved := p.Origin
	moved.Doc = 3
	for _, c := range []struct {
		name, text string
		edit       Edit
		want       string
	}{
		{"a change under an anchor", anchored, setEdit(find(t, "x.yaml", anchored), func(a *v1alpha1.AdminNetworkPolicy) {
			a.Spec.Subject.Namespaces.MatchLabels = map[string]string{"x": "y"}
		}), "x.yaml: AdminNetworkPolicy/a: the edit cannot be made on the object's own text alone (an anchor, or an unusual form)"},
		{"a field from a merge key", merged, setEdit(find(t, "x.yaml", merged), func(a *v1alpha1.AdminNetworkPolicy) { delete(a.Annotations, "x") }),
			"x.yaml: AdminNetworkPolicy/a: metadata.annotations.x: comes from a merge key and cannot be removed here"},
		{"another object", commented, Edit{Op: EditSet, Key: other, Origin: p.Origin, Object: p.Original}, "x.yaml: AdminNetworkPolicy/b: another object is where it was read"},
		{"another place", commented, Edit{Op: Delete, Key: p.Key, Origin: moved}, "x.yaml: AdminNetworkPolicy/a: is no longer where it was read"},
		{"another name in the text", commented, Edit{Op: Text, Key: p.Key, Origin: p.Origin, Text: []byte(with(commented, "name: a ", "name: b "))},
			"x.yaml: AdminNetworkPolicy/a: the new text is another object"},
		{"two documents in the text", commented, Edit{Op: Text, Key: p.Key, Origin: p.Origin, Text: []byte(commented + "---\n" + commented)},
			"x.yaml: AdminNetworkPolicy/a: the new text is not one object"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := rewriteText("x.yaml", []byte(c.text), []Edit{c.edit})
			if err == nil || err.Error() != c.want {
				t.Errorf("got %v\nwant %s", err, c.want)
			}
		})
	}
}

func TestRewriteDocuments(t *testing.T) {
	const ns = "apiVersion: v1\nkind: Namespace\nmetadata: {name: nn}\n"
	two := "# top\n---\n" + ns + "--- # the policy\n" + commented
	list := "apiVersion: v1\nitems:\n- " + strings.ReplaceAll(strings.TrimSpace(ns), "\n", "\n  ") + "\n# about a\n" + dashed(commented) + "kind: List\n"
	jsons := strings.TrimSpace(jsonText) + "\n" + `{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"nn"}}` + "\n"
	edited := with(commented, "# rule 1", "# rule number one", "action: Deny", "action: Pass")
	for _, c := range []struct {
		name, file, text string
		edit             func(p *model.Policy) []Edit
		want             string
	}{
		{"a document's text", "x.yaml", two, func(p *model.Policy) []Edit {
			return []Edit{{Op: Text, Key: p.Key, Origin: p.Origin, Text: []byte(edited)}}
		}, "# top\n---\n" + ns + "--- # the policy\n" + edited},
		{"a document's text, without its last newline", "x.yaml", commented + "---\n" + ns, func(p *model.Policy) []Edit {
			return []Edit{{Op: Text, Key: p.Key, Origin: p.Origin, Text: []byte(strings.TrimSuffix(edited, "\n"))}}
		}, edited + "---\n" + ns},
		{"a document goes", "x.yaml", two, func(p *model.Policy) []Edit {
			return []Edit{{Op: Delete, Key: p.Key, Origin: p.Origin}}
		}, "# top\n---\n" + ns},
		{"the first document goes", "x.yaml", commented + "---\n" + ns, func(p *model.Policy) []Edit {
			return []Edit{{Op: Delete, Key: p.Key, Origin: p.Origin}}
		}, "---\n" + ns},
		{"the only document goes", "x.yaml", commented, func(p *model.Policy) []Edit {
			return []Edit{{Op: Delete, Key: p.Key, Origin: p.Origin}}
		}, ""},
		{"an item of a List goes", "x.yaml", list, func(p *model.Policy) []Edit {
			return []Edit{{Op: Delete, Key: p.Key, Origin: p.Origin}}
		}, with(list, dashed(commented)[:strings.Index(dashed(commented), "# the end")-2][strings.Index(dashed(commented), "- apiVersion"):], "")},
		{"a json value goes", "x.json", jsons, func(p *model.Policy) []Edit {
			return []Edit{{Op: Delete, Key: p.Key, Origin: p.Origin}}
		}, `{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"nn"}}` + "\n"},
		{"a document comes", "x.yaml", strings.TrimSuffix(ns, "\n"), func(*model.Policy) []Edit {
			return []Edit{{Op: Append, Text: []byte("---\n" + commented)}}
		}, ns + "---\n" + commented},
		{"a document comes to an empty file", "x.yaml", "", func(*model.Policy) []Edit {
			return []Edit{{Op: Append, Text: []byte(commented)}}
		}, commented},
		{"a document comes to a file with crlf", "x.yaml", crlf(ns), func(*model.Policy) []Edit {
			return []Edit{{Op: Append, Text: []byte(commented)}}
		}, crlf(ns + "---\n" + commented)},
		{"several edits at once", "x.yaml", two, func(p *model.Policy) []Edit {
			return []Edit{
				setEdit(p, setPriority(99)),
				{Op: Delete, Key: model.Key{Kind: model.KindNamespace, Name: "nn"}, Origin: model.Origin{Doc: 0, Item: -1}},
				{Op: Append, Object: map[string]any{"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": "o"}}},
			}
		}, "# top\n--- # the policy\n" + with(commented, "priority: 34 #", "priority: 99 #") + "---\napiVersion: v1\nkind: Namespace\nmetadata:\n  name: o\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var p *model.Policy
			if strings.Contains(c.text, "AdminNetworkPolicy") {
				p = find(t, c.file, c.text)
			}
			got, err := rewriteText(c.file, []byte(c.text), c.edit(p))
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(c.want, string(got)); d != "" {
				t.Errorf("-want +got\n%s", d)
			}
		})
	}
}
