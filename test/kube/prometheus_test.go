package kube_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"rung/test/install"
	"rung/test/kube/cluster"
	"rung/test/wait"
)

// TestPrometheus: a real Prometheus reads agents and a cluster's observer, with the rules as they are shipped. It answers
// every query of the rules and of the dashboard, and its own tool finds nothing wrong with the metrics. (Each alert
// fires and resolves in deploy/observe/rules_test.yaml.)
func TestPrometheus(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	c := start(t, cluster.Config{})
	small(t, c)
	z, err := c.AddZones(ctx, smallNodes...)
	must(t, err)
	reconcile(t, c, z, "writer")
	withAgents(t, c)
	targets := map[string][]string{}
	var agents []*replica
	for _, zone := range smallNodes {
		agents = append(agents, agentOf(t, c, z, zone))
		targets["rung-observe"] = append(targets["rung-observe"], agents[len(agents)-1].metrics)
	}
	observer := serviceAs(t, c, cluster.Admin, "cluster", "observe", "--whole-cluster", "--report-every", reportEvery.String())
	targets["rung-observe-cluster"] = []string{observer.metrics}
	p := startPrometheus(t, targets)

	for query, want := range map[string]string{
		`sum(up)`: fmt.Sprint(len(smallNodes) + 1), `count(count by (zone) (rung_policies))`: fmt.Sprint(len(smallNodes)),
		`sum(rung_policies{kind="AdminNetworkPolicy",state="in sync"})`: fmt.Sprint(len(smallNodes)),
		`max(rung_agents{state="fresh"})`:                               fmt.Sprint(len(smallNodes)), `max(rung_observe_leader)`: "1"} {
		var got string
		if !wait.Poll(patience, func() bool { got = p.ask(query); return got == want }) {
			t.Errorf("%s: %s, want %s", query, got, want)
		}
	}
	root, err := install.Root()
	must(t, err)
	text, err := os.ReadFile(filepath.Join(root, "deploy", "observe", "dashboard.json"))
	must(t, err)
	queries := queriesIn(t, text)
	if len(queries) < 15 {
		t.Errorf("the dashboard has %d queries", len(queries))
	}
	for _, query := range queries {
		p.ask(strings.NewReplacer("$zone", ".*", "$__rate_interval", "1m").Replace(query))
	}
	var rules struct {
		Data struct {
			Groups []struct {
				Rules []struct{ Name, Health, LastError, State string }
			}
		}
	}
	wait.Within(t, patience, "all rules are judged", func() bool {
		must(t, json.Unmarshal(p.get("/api/v1/rules", nil), &rules))
		for _, g := range rules.Data.Groups {
			for _, r := range g.Rules {
				if r.Health == "unknown" {
					return false
				}
			}
		}
		return len(rules.Data.Groups) > 0
	})
	for _, g := range rules.Data.Groups {
		for _, r := range g.Rules {
			if r.Health != "ok" || r.State == "firing" {
				t.Errorf("%s is %s and %s: %s", r.Name, r.Health, r.State, r.LastError)
			}
		}
	}
	for _, r := range append(agents, observer) {
		page, _ := r.get("/metrics")
		check := exec.CommandContext(ctx, install.Server(t, "promtool"), "check", "metrics")
		check.Stdin = strings.NewReader(regexp.MustCompile(`(?m)^(# \w+ )?(go|process|promhttp)_.*\n`).ReplaceAllString(page, ""))
		if out, err := check.CombinedOutput(); err != nil {
			t.Errorf("promtool check metrics: %v\n%s", err, out)
		}
	}
}

// prometheus is a running server.
type prometheus struct {
	t       *testing.T
	address string
}

// startPrometheus starts a server that reads these targets by job, with the shipped rules. It ends with the test.
func startPrometheus(t *testing.T, targets map[string][]string) *prometheus {
	t.Helper()
	root, err := install.Root()
	must(t, err)
	dir := t.TempDir()
	config := "global: {scrape_interval: 1s, evaluation_interval: 1s}\nrule_files: [" + filepath.Join(root, "deploy", "observe", "rules.yaml") + "]\nscrape_configs:\n"
	for job, at := range targets {
		config += fmt.Sprintf("- {job_name: %s, honor_labels: true, static_configs: [{targets: ['%s']}]}\n", job, strings.Join(at, "', '"))
	}
	must(t, os.WriteFile(filepath.Join(dir, "prometheus.yml"), []byte(config), 0o600))
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	p := &prometheus{t, l.Addr().String()}
	must(t, l.Close())
	cmd := exec.Command(install.Server(t, "prometheus"), "--config.file="+filepath.Join(dir, "prometheus.yml"), "--storage.tsdb.path="+filepath.Join(dir, "data"),
		"--web.listen-address="+p.address)
	log, err := os.Create(filepath.Join(dir, "log"))
	must(t, err)
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	must(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		if text, _ := os.ReadFile(log.Name()); t.Failed() {
			t.Logf("prometheus said:\n%s", text[max(0, len(text)-3000):])
		}
	})
	wait.Within(t, patience, "prometheus answers", func() bool {
		res, err := http.Get("http://" + p.address + "/-/ready")
		if err != nil {
			return false
		}
		res.Body.Close()
		return res.StatusCode == http.StatusOK
	})
	return p
}

// get reads a page.
func (p *prometheus) get(path string, query url.Values) []byte {
	p.t.Helper()
	client := http.Client{Timeout: 20 * time.Second}
	res, err := client.Get("http://" + p.address + path + "?" + query.Encode())
	must(p.t, err)
	defer res.Body.Close()
	text, err := io.ReadAll(io.LimitReader(res.Body, 8<<20))
	must(p.t, err)
	return text
}

// ask returns the first value that answers a query, empty for none. A query that is refused fails the test.
func (p *prometheus) ask(query string) string {
	p.t.Helper()
	var answer struct {
		Status, Error string
		Data          struct{ Result []struct{ Value [2]any } }
	}
	must(p.t, json.Unmarshal(p.get("/api/v1/query", url.Values{"query": {query}}), &answer))
	if answer.Status != "success" {
		p.t.Errorf("%s: %s", query, answer.Error)
	}
	if len(answer.Data.Result) == 0 {
		return ""
	}
	return fmt.Sprint(answer.Data.Result[0].Value[1])
}

// queriesIn are the queries of a dashboard.
func queriesIn(t *testing.T, dashboard []byte) (out []string) {
	t.Helper()
	var tree any
	must(t, json.Unmarshal(dashboard, &tree))
	var walk func(any)
	walk = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			if query, ok := v["expr"].(string); ok {
				out = append(out, query)
			}
			for _, x := range v {
				walk(x)
			}
		case []any:
			for _, x := range v {
				walk(x)
			}
		}
	}
	walk(tree)
	return out
}
