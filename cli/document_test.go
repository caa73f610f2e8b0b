package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"rung/cli/command"
)

// What the feature document lists is in testdata/document/rows.txt, as ovn-nbctl
// printed it: the rows of one policy and of the baseline in the database of
// ovn-worker2. Columns it does not have came with later releases.
var laterColumns = []string{"sample_est", "sample_new"}

// record is one row: its columns as ovn-nbctl prints them.
type record map[string]string

func (r record) id() string {
	_, rest, _ := strings.Cut(r["external_ids"], `"k8s.ovn.org/id"="`)
	id, _, _ := strings.Cut(rest, `"`)
	return id
}

// parseRecords reads what "ovn-nbctl list" prints, by id.
func parseRecords(t *testing.T, text string) map[string]record {
	t.Helper()
	out := map[string]record{}
	for _, block := range strings.Split(strings.TrimSpace(text), "\n\n") {
		r := record{}
		for _, line := range strings.Split(block, "\n") {
			column, value, ok := strings.Cut(line, ": ")
			if !ok {
				t.Fatalf("no column: %q", line)
			}
			r[strings.TrimSpace(column)] = value
		}
		if out[r.id()] != nil || r.id() == "" {
			t.Fatalf("id %q of %v", r.id(), r)
		}
		out[r.id()] = r
	}
	return out
}

// documented are the document's rows. A port group lists ACLs by UUID there: here
// by id.
func documented(t *testing.T) map[string]record {
	t.Helper()
	text, err := os.ReadFile("testdata/document/rows.txt")
	if err != nil {
		t.Fatal(err)
	}
	rows := parseRecords(t, string(text))
	ids := map[string]string{}
	for id, r := range rows {
		ids[r["_uuid"]] = id
		delete(r, "_uuid")
	}
	for _, r := range rows {
		if r["acls"] == "" {
			continue
		}
		var names []string
		for _, uuid := range setMembers(r["acls"]) {
			names = append(names, `"`+ids[uuid]+`"`)
		}
		slices.Sort(names)
		r["acls"] = "[" + strings.Join(names, ", ") + "]"
		countPorts(r)
	}
	return rows
}

// setMembers are the members of a set as ovn-nbctl prints it.
func setMembers(set string) []string { return strings.Split(strings.Trim(set, "[]"), ", ") }

// countPorts leaves of a port group's ports how many there are: the document does
// not tell which port has which UUID.
func countPorts(r record) { r["ports"] = strconv.Itoa(len(setMembers(r["ports"]))) }

// compiled are the rows that a policy file and the baseline compile to.
func compiled(t *testing.T, policy string) map[string]record {
	t.Helper()
	rows := parseRecords(t, rung(t, "compile", "--zone", "ovn-worker2", "-o", "nbctl",
		"-f", "testdata/document/cluster.yaml", "-f", "testdata/document/baseline.yaml", "-f", policy))
	for _, r := range rows {
		for _, c := range laterColumns {
			delete(r, c)
		}
		if r["ports"] != "" {
			countPorts(r)
		}
	}
	return rows
}

// rung runs a command line that has to succeed and returns what it prints.
func rung(t *testing.T, args ...string) string {
	t.Helper()
	var out, errs bytes.Buffer
	args = append(args, "--state-dir", t.TempDir())
	if code := runUntil(context.Background(), args, strings.NewReader(""), &out, &errs, nil); code != command.ExitOK || errs.Len() > 0 {
		t.Fatalf("rung %v: exit %d: %s", args, code, errs.String())
	}
	return out.String()
}

// The policy as the document prints it gives the document's rows, but for three
// address sets, which the document shows for another policy.
func TestDocument(t *testing.T) {
	want := documented(t)
	if len(want) != 12+11+1+2+2+1 {
		t.Fatalf("the document lists %d rows", len(want))
	}
	for id, addresses := range map[string][2]string{
		// As they are in the document, and as the policy has them.
		"Egress:0:v4": {everyPod, `[]`}, // no pod of kube-system is app=dns
		"Egress:2:v4": {everyPod, `[]`}, // no namespace is tenant=splunk
		"Egress:3:v4": {`["10.0.54.26/32", "10.0.56.38/32", "10.0.69.31/32", "172.30.0.1/32"]`,
			`["10.0.32.0/19", "10.0.56.38/32", "10.0.69.0/24", "172.30.0.0/30"]`},
	} {
		r := want["default-network-controller:AdminNetworkPolicy:cluster-control:"+id]
		if r["addresses"] != addresses[0] {
			t.Fatalf("%s in the document: %s", id, r["addresses"])
		}
		r["addresses"] = addresses[1]
	}
	if d := cmp.Diff(want, compiled(t, "testdata/document/policy.yaml")); d != "" {
		t.Errorf("-document +compiled\n%s", d)
	}
}

const everyPod = `["10.244.1.3", "10.244.1.4", "10.244.2.3", "10.244.2.4", "10.244.2.5", "10.244.2.6", "10.244.2.7", "10.244.2.8"]`

// With the peers these three sets were made of, every row is the document's.
func TestDocumentAsItRan(t *testing.T) {
	policy := edited(t, "testdata/document/policy.yaml",
		`    - pods:
        namespaceSelector:
          matchLabels:
            kubernetes.io/metadata.name: kube-system
        podSelector:
          matchLabels:
            app: dns
`, `    - namespaces: {}
`,
		`    - namespaces:
        matchLabels:
          tenant: splunk
`, `    - namespaces: {}
`,
		`172.30.0.0/30`, `172.30.0.1/32`, `10.0.54.0/19`, `10.0.54.26/32`, `10.0.69.0/24`, `10.0.69.31/32`)
	if d := cmp.Diff(documented(t), compiled(t, policy)); d != "" {
		t.Errorf("-document +compiled\n%s", d)
	}
}

// The document's logical flows and log lines were made after this annotation:
// severity alert for allow and drop, warning for pass. Nothing else changes.
func TestDocumentLogging(t *testing.T) {
	policy := edited(t, "testdata/document/policy.yaml", `  name: cluster-control
`, `  name: cluster-control
  annotations:
    k8s.ovn.org/acl-logging: '{ "deny": "alert", "allow": "alert", "pass" : "warning" }'
`)
	want := compiled(t, "testdata/document/policy.yaml")
	severity := map[string]string{"allow-related": "alert", "drop": "alert", "pass": "warning"}
	for id, r := range want {
		if strings.Contains(id, ":AdminNetworkPolicy:") && r["action"] != "" {
			r["log"], r["severity"] = "true", severity[r["action"]]
		}
	}
	if d := cmp.Diff(want, compiled(t, policy)); d != "" {
		t.Errorf("-without +with\n%s", d)
	}
}

// The JSON of the contract (command-line.md#output): rows with their columns and their
// id, ports by name, ACLs by id, sorted by id.
func TestDocumentJSON(t *testing.T) {
	text := rung(t, "compile", "cluster-control", "--zone", "ovn-worker2", "-o", "json",
		"-f", "testdata/document/cluster.yaml", "-f", "testdata/document/policy.yaml")
	var got struct {
		ACLs []struct {
			ID       string `json:"id"`
			Priority int
			Severity *string
			Options  map[string]string
		} `json:"acls"`
		Sets   []struct{ ID, Name string } `json:"address_sets"`
		Groups []struct {
			ID, Name    string
			ACLs, Ports []string
		} `json:"port_groups"`
		None []any `json:"none"`
	}
	if err := json.Unmarshal([]byte(text), &got); err != nil {
		t.Fatal(err)
	}
	const id = "default-network-controller:AdminNetworkPolicy:cluster-control"
	var acls, sets []string
	for _, x := range got.ACLs {
		acls = append(acls, x.ID)
		if x.Severity != nil {
			t.Errorf("%s: severity %q, want null", x.ID, *x.Severity)
		}
	}
	for _, x := range got.Sets {
		sets = append(sets, x.ID)
	}
	if len(acls) != 12 || len(sets) != 11 || !slices.IsSorted(acls) || !slices.IsSorted(sets) || got.None == nil ||
		len(got.None) != 0 {
		t.Errorf("ACLs %v sets %v none %v", acls, sets, got.None)
	}
	wantPorts := []string{"ingress-nginx_controller", "kube-system_coredns-1", "kube-system_coredns-2",
		"local-path-storage_provisioner",
		"monitoring_monitoring-2", "restricted_restricted-65948898b-b2hhj"}
	if len(got.Groups) != 1 || got.Groups[0].ID != id || got.Groups[0].Name != "a14645450421485494999" {
		t.Fatalf("port groups %v", got.Groups)
	}
	if d := cmp.Diff(acls, got.Groups[0].ACLs); d != "" {
		t.Errorf("ACLs of the port group: %s", d)
	}
	if d := cmp.Diff(wantPorts, got.Groups[0].Ports); d != "" {
		t.Errorf("ports of the port group: %s", d)
	}
}

// edited is a copy of a file in which some texts, each of which stands there
// once, are others.
func edited(t *testing.T, path string, replace ...string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	s := string(text)
	for i := 0; i < len(replace); i += 2 {
		if n := strings.Count(s, replace[i]); n != 1 {
			t.Fatalf("%q is %d times in %s", replace[i], n, path)
		}
		s = strings.Replace(s, replace[i], replace[i+1], 1)
	}
	out := filepath.Join(t.TempDir(), filepath.Base(path))
	if err := os.WriteFile(out, []byte(s), 0o600); err != nil {
		t.Fatal(err)
	}
	return out
}
