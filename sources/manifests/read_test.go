package manifests

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"rung/model"
)

func mustSelector(t *testing.T, s string) model.Selector {
	t.Helper()
	ls, err := metav1.ParseToLabelSelector(s)
	if err != nil {
		t.Fatal(err)
	}
	sel, err := model.NewSelector(ls)
	if err != nil {
		t.Fatal(err)
	}
	return sel
}

func gz(s string) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = z.Write([]byte(s))
	_ = z.Close()
	return b.Bytes()
}

func keysOf(objs []model.Object) []string {
	var out []string
	for _, o := range objs {
		out = append(out, o.ObjectKey().String())
	}
	return out
}

func lines(bs []model.Broken) []string {
	var out []string
	for _, b := range bs {
		out = append(out, string(b.Severity)+" "+b.String())
	}
	return out
}

// files makes a file system of texts.
func mapFiles(m map[string]string) fstest.MapFS {
	fs := fstest.MapFS{}
	for name, text := range m {
		fs[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return fs
}

// anpHead is what the policies of these tests begin with.
const anpHead = "apiVersion: policy.networking.k8s.io/v1alpha1\nkind: AdminNetworkPolicy\n"

const nsText = "apiVersion: v1\nkind: Namespace\nmetadata: {name: blue}\n"

func TestRead(t *testing.T) {
	podItem := `{"metadata":{"name":"p","namespace":"blue"},"spec":{"nodeName":"w"},"status":{"podIP":"10.0.0.1"}}`
	for _, c := range []struct {
		name   string
		o      Options
		want   []string
		broken []string
	}{
		{name: "folders, and what is in them", o: Options{Paths: []string{"d"}, FS: mapFiles(map[string]string{
			"d/b.yml": anp("b", 1), "d/a.yaml": anp("a", 1), "d/s/c.json": `{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"c"}}`,
			"d/e.YAML.gz": string(gz(anp("e", 1))), "d/README.md": "x", "d/.git/x.yaml": "[", "d/.x.yaml": "["})},
			want: []string{"AdminNetworkPolicy/a", "AdminNetworkPolicy/b", "AdminNetworkPolicy/e", "Namespace/c"}},
		{name: "a file that is named twice is read once", o: Options{Paths: []string{"a.yaml", ".", "./a.yaml"}, FS: mapFiles(map[string]string{"a.yaml": anp("a", 1)})},
			want: []string{"AdminNetworkPolicy/a"}},
		{name: "standard input", o: Options{Paths: []string{"-", "-"}, Stdin: strings.NewReader(anp("a", 1) + "---\nfoo: [\n")},
			want: []string{"AdminNetworkPolicy/a"}, broken: []string{"error standard input:10 (document 1): is not YAML: did not find expected node content"}},
		{name: "the same object in two files", o: Options{Paths: []string{"."}, FS: mapFiles(map[string]string{"a.yaml": anp("a", 1), "b.yaml": "---\n" + anp("a", 2) + "---\n" + nsText, "c.yaml": nsText})},
			want: []string{"AdminNetworkPolicy/a", "Namespace/blue"},
			broken: []string{"error b.yaml:2 (document 0): AdminNetworkPolicy/a: is given twice: skipped, the one in a.yaml:1 (document 0) counts",
				"warning c.yaml:1 (document 0): Namespace/blue: is given twice: skipped, the one in b.yaml:11 (document 1) counts"}},
		{name: "a file that is not there", o: Options{Paths: []string{"nope.yaml", "a.yaml"}, FS: mapFiles(map[string]string{"a.yaml": anp("a", 1)})},
			want: []string{"AdminNetworkPolicy/a"}, broken: []string{"error nope.yaml: cannot be read: file does not exist"}},
		{name: "an empty folder", o: Options{Paths: []string{"d"}, FS: mapFiles(map[string]string{"d/x.txt": ""})},
			broken: []string{"warning d: no manifests in this folder; file names must end in .yaml, .yml or .json, or these with .gz"}},
		{name: "a file that is too large", o: Options{Paths: []string{"."}, Limits: Limits{FileSize: 1 << 20}, FS: mapFiles(map[string]string{"a.yaml": anp("a", 1), "b.yaml": strings.Repeat("#", 1<<20+1)})},
			want: []string{"AdminNetworkPolicy/a"}, broken: []string{"error b.yaml: exceeds the limit of 1 MiB per file"}},
		{name: "a file that expands to too much", o: Options{Paths: []string{"."}, Limits: Limits{Expanded: 1000}, FS: mapFiles(map[string]string{"b.yaml.gz": string(gz(strings.Repeat("#", 1001)))})},
			broken: []string{"error b.yaml.gz: exceeds the limit of 1000 bytes when decompressed"}},
		{name: "input that is too large", o: Options{Paths: []string{"-"}, Limits: Limits{FileSize: 10}, Stdin: strings.NewReader(anp("a", 1))},
			broken: []string{"error standard input: exceeds the limit of 10 bytes per file"}},
		{name: "what only claims to be compressed", o: Options{Paths: []string{"b.yaml.gz"}, FS: mapFiles(map[string]string{"b.yaml.gz": "x"})},
			broken: []string{"error b.yaml.gz: cannot be decompressed: unexpected EOF"}},
		{name: "UTF-16", o: Options{Paths: []string{"b.yaml"}, FS: mapFiles(map[string]string{"b.yaml": "\xff\xfea\x00"})},
			broken: []string{"error b.yaml: is UTF-16: only UTF-8 can be read"}},
		{name: "not UTF-8", o: Options{Paths: []string{"b.yaml"}, FS: mapFiles(map[string]string{"b.yaml": "a: \xff"})},
			broken: []string{"error b.yaml:1 (document 0): is not YAML: invalid leading UTF-8 octet"}},
		{name: "control characters in a name", o: Options{Paths: []string{"."}, FS: mapFiles(map[string]string{"a\x1b[31m.yaml": anp("a", 1)})},
			broken: []string{"error a\ufffd[31m.yaml: skipped: the file name has control characters; rename it"}},
		{name: "a dump of kubectl", o: Options{Paths: []string{"dump.yaml"}, FS: mapFiles(map[string]string{"dump.yaml": "apiVersion: v1\nitems:\n" + podItemYAML + "- apiVersion: v1\n  kind: Namespace\n  metadata:\n    name: blue\nkind: List\nmetadata:\n  resourceVersion: \"\"\n"})},
			want: []string{"Pod/blue/p", "Namespace/blue"}},
		{name: "a List with items that share an anchor", o: Options{Paths: []string{"l.yaml"}, FS: mapFiles(map[string]string{"l.yaml": "apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: Namespace\n  metadata: {name: blue, labels: &l {a: b}}\n- apiVersion: v1\n  kind: Namespace\n  metadata: {name: red, labels: *l}\n"})},
			want: []string{"Namespace/blue", "Namespace/red"}},
		{name: "a List in flow style", o: Options{Paths: []string{"l.yaml"}, FS: mapFiles(map[string]string{"l.yaml": "{apiVersion: v1, kind: List, items: [{apiVersion: v1, kind: Namespace, metadata: {name: blue}}, null]}"})},
			want: []string{"Namespace/blue"}},
		{name: "an empty List", o: Options{Paths: []string{"l.yaml"}, FS: mapFiles(map[string]string{"l.yaml": "apiVersion: v1\nkind: List\nitems: []\n---\napiVersion: v1\nkind: List\n"})}},
		{name: "a typed List, as the API server sends it", o: Options{Paths: []string{"l.json"}, FS: mapFiles(map[string]string{"l.json": `{"kind":"PodList","apiVersion":"v1","items":[` + podItem + `]}` + "\n" + `{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"blue"}}`})},
			want: []string{"Pod/blue/p", "Namespace/blue"}},
		{name: "Lists within a List", o: Options{Paths: []string{"l.yaml"}, FS: mapFiles(map[string]string{"l.yaml": "apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: List\n  items:\n  - apiVersion: v1\n    kind: List\n    items:\n    - {apiVersion: v1, kind: Namespace, metadata: {name: blue}}\n  - {apiVersion: v1, kind: Namespace, metadata: {name: red}}\n- apiVersion: v1\n  kind: NamespaceList\n  items: [{metadata: {name: green}}, null]\n- {apiVersion: v1, kind: Namespace, metadata: {name: grey}}\n"})},
			want: []string{"Namespace/blue", "Namespace/red", "Namespace/green", "Namespace/grey"}},
		{name: "a List within a List of JSON", o: Options{Paths: []string{"l.json"}, FS: mapFiles(map[string]string{"l.json": `{"kind":"List","apiVersion":"v1","items":[{"kind":"List","apiVersion":"v1","items":[1,{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"blue"}}]}]}`})},
			want: []string{"Namespace/blue"}, broken: []string{"error l.json:1 (document 0, item 0): is the number 1, not a Kubernetes object"}},
		{name: "a List with a wrong element", o: Options{Paths: []string{"l.json"}, FS: mapFiles(map[string]string{"l.json": `{"kind":"List","apiVersion":"v1","items":[1,{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"blue"}}]}`})},
			want: []string{"Namespace/blue"}, broken: []string{"error l.json:1 (document 0, item 0): is the number 1, not a Kubernetes object"}},
		{name: "broken JSON", o: Options{Paths: []string{"l.json"}, FS: mapFiles(map[string]string{"l.json": "{\n\"a\": tru }"})},
			broken: []string{`error l.json:2 (document 0): is not JSON: invalid character ' ' in literal true (expecting 'e')`}},
		{name: "JSON that ends early", o: Options{Paths: []string{"l.json"}, FS: mapFiles(map[string]string{"l.json": "{\"a\": [1,"})},
			broken: []string{`error l.json:1 (document 0): is not JSON: ends too early`}},
		{name: "JSON with tabs in a YAML file", o: Options{Paths: []string{"l.yaml"}, FS: mapFiles(map[string]string{"l.yaml": "---\n{\n\t\"apiVersion\": \"v1\", \"kind\": \"Namespace\",\n\t\"metadata\": {\"name\": \"blue\"}\n}\n---\n" + anp("a", 1)})},
			want: []string{"Namespace/blue", "AdminNetworkPolicy/a"}},
		{name: "pods without their namespace", o: Options{Paths: []string{"l.yaml"}, FS: mapFiles(map[string]string{"l.yaml": "apiVersion: v1\nkind: Pod\nmetadata: {name: p, namespace: blue}\n"})},
			want:   []string{"Pod/blue/p", "Namespace/blue"},
			broken: []string{"warning Namespace/blue: pods are in namespaces without an object (blue): their labels are unknown; add the Namespace objects; without them, selectors of namespace labels miss these pods"}},
		{name: "unknown fields of a newer server are said once", o: Options{Paths: []string{"l.yaml"}, FS: mapFiles(map[string]string{"l.yaml": nsText + "---\n" + strings.Repeat("apiVersion: v1\nkind: Pod\nmetadata: {name: p, namespace: blue}\nspec: {containers: [{name: c}, {name: d, new: 1}]}\n---\n", 1) + "apiVersion: v1\nkind: Pod\nmetadata: {name: q, namespace: blue}\nspec: {containers: [{name: c, new: 1}]}\n"})},
			want:   []string{"Namespace/blue", "Pod/blue/p", "Pod/blue/q"},
			broken: []string{"warning l.yaml:8 (document 1): Pod/blue/p: spec.containers[1].new: unknown field, ignored (and 1 more like this in the file)"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, err := Read(context.Background(), c.o)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(c.want, keysOf(r.Objects)); d != "" {
				t.Errorf("objects: -want +got\n%s", d)
			}
			if d := cmp.Diff(c.broken, lines(r.Broken)); d != "" {
				t.Errorf("broken: -want +got\n%s", d)
			}
		})
	}
}

const podItemYAML = `- apiVersion: v1
  kind: Pod
  metadata:
    name: p
    namespace: blue
    annotations:
      text: |
        - not an item
        items:
# a comment at the margin
  spec:
    nodeName: w
`

func TestReadEnds(t *testing.T) {
	if _, err := Read(context.Background(), Options{}); !errors.Is(err, ErrNoPaths) {
		t.Errorf("no paths: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Read(ctx, Options{Paths: []string{"."}, FS: mapFiles(map[string]string{"a.yaml": anp("a", 1)})}); !errors.Is(err, context.Canceled) {
		t.Errorf("ended: %v", err)
	}
}

// There are as many workers as were asked for, however many processors there are by
// then: the console raises their number while files are read.
func TestParallel(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(8))
	var mu sync.Mutex
	used, done := map[int]bool{}, 0
	err := runParallel(t.Context(), 3, 60, func(worker, _ int) {
		time.Sleep(time.Millisecond) // so that each gets some
		mu.Lock()
		defer mu.Unlock()
		used[worker] = true
		done++
	})
	if want := map[int]bool{0: true, 1: true, 2: true}; err != nil || done != 60 || !maps.Equal(used, want) {
		t.Errorf("%d of 60 done by %v, %v; want %v", done, used, err, want)
	}
	if n := workerCount(5); n != 5 {
		t.Errorf("%d workers for 5 jobs", n)
	}
	if n := workerCount(0); n != 1 {
		t.Errorf("%d workers for nothing", n)
	}
}

// On disk: symbolic links, a folder behind a link, a file that may not be read.
func TestReadDisk(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "real.yaml"), anp("a", 1))
	if err := os.Symlink("real.yaml", filepath.Join(dir, "link.yaml")); err != nil {
		t.Skip("no symbolic links here")
	}
	if err := os.Symlink("nowhere", filepath.Join(dir, "dead.yaml")); err != nil {
		t.Fatal(err)
	}
	linked := filepath.Join(t.TempDir(), "linked")
	if err := os.Symlink(dir, linked); err != nil {
		t.Fatal(err)
	}
	r, err := Read(context.Background(), Options{Paths: []string{linked}, Source: "s"})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"error " + filepath.Join(linked, "dead.yaml") + ": skipped: a broken link"}
	if d := cmp.Diff(want, lines(r.Broken)); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
	if len(r.Objects) != 1 || len(r.Files) != 1 || !r.Files[0].Writable {
		t.Fatalf("objects %v files %v", keysOf(r.Objects), r.Files)
	}
	p := r.Policies()[0]
	if d := cmp.Diff(model.Origin{Source: "s", File: filepath.Join(linked, "link.yaml"), Item: -1, Line: 1}, p.Origin); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
}

// An item of a List has no text of its own: its YAML is tidy, generated, and
// gate 1 still sees what was absent.
func TestListItemText(t *testing.T) {
	r := Parse("x.yaml", []byte(`apiVersion: v1
kind: List
items:
- apiVersion: policy.networking.k8s.io/v1alpha1
  kind: AdminNetworkPolicy
  metadata:
    creationTimestamp: "2026-01-01T00:00:00Z"
    annotations:
      kubectl.kubernetes.io/last-applied-configuration: "{}"
    managedFields: [{manager: m, fieldsV1: {"f:spec": {}}}]
    name: a
  spec:
    ingress:
    - from:
      - pods: {podSelector: {}}
      action: Allow
      name: 'yes'
    subject:
      namespaces: {matchExpressions: [{values: ["1", b c], key: k, operator: In}]}
    priority: 1
  status: {conditions: []}
`), Options{SkipSchema: true})
	p := r.Policies()[0]
	want := `apiVersion: policy.networking.k8s.io/v1alpha1
kind: AdminNetworkPolicy
metadata:
  name: a
spec:
  priority: 1
  subject:
    namespaces:
      matchExpressions:
        - key: k
          operator: In
          values:
            - '1'
            - b c
  ingress:
    - name: 'yes'
      action: Allow
      from:
        - pods:
            podSelector: {}
`
	if d := cmp.Diff(want, p.YAML); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
	got := lines(Validate(p))
	if d := cmp.Diff([]string{"error x.yaml:4 (document 0, item 0): AdminNetworkPolicy/a: spec.ingress[0].from[0].pods.namespaceSelector: Required value"}, got); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
}

func TestParsePolicy(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"fine", anp("a", 1), ""},
		{"not enforced, but a policy", anp("a", 120), ""},
		{"refused", anp("a", 1001), "line 6: AdminNetworkPolicy/a: spec.priority: 1001 should be less than or equal to 1000"},
		{"two", anp("a", 1) + "---\n" + anp("b", 2), "line 10: AdminNetworkPolicy/b: is a second policy: only one is expected"},
		{"a pod besides", nsText + "---\n" + anp("b", 2), "line 1: Namespace/blue: is not a policy"},
		{"none", "# nothing\n", "this text has no policy"},
		{"no YAML", "a: [", "line 1: is not YAML: did not find expected node content"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, broken := ParsePolicy([]byte(c.text))
			got := ""
			if len(broken) > 0 {
				got = broken[0].String()
			}
			if got != c.want || (p == nil) != (c.want != "") {
				t.Errorf("policy %v, %q\nwant %q", p != nil, got, c.want)
			}
		})
	}
}

// Policies returns the policies among the objects.
func (r *Result) Policies() []*model.Policy {
	var ps []*model.Policy
	for _, o := range r.Objects {
		if p, ok := o.(*model.Policy); ok {
			ps = append(ps, p)
		}
	}
	return ps
}
