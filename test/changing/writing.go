package changing

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"rung/change"
	"rung/change/effect"
	"rung/change/history"
	"rung/model"
	"rung/model/verdict"
	"rung/model/verdict/diff"
	"rung/model/words"
	"rung/revision"
	"rung/test/given"
)

// WritingWorld is a small cluster that changes as the gate writes, without an engine.
type WritingWorld struct {
	*World
	Fail   error  // what Write answers
	Before func() // Write writes
	// Partly is how many objects of a change Write writes before it fails, and puts none back:
	// as a kill leaves it.
	Partly  int
	Written [][]change.ObjectChange
}

// NewWritingWorld is the cluster of given with policies.
func NewWritingWorld(t testing.TB, policies ...string) *WritingWorld {
	t.Helper()
	return &WritingWorld{World: New(t, policies...)}
}

// Write makes the world the Writer of its own gate.
func (w *WritingWorld) Write(_ context.Context, changes []change.ObjectChange) error {
	if w.Before != nil {
		w.Before()
	}
	w.Mu.Lock()
	fail, partly := w.Fail, w.Partly // a test changes them under the lock while a plan writes
	w.Mu.Unlock()
	if fail != nil && partly == 0 {
		return fail
	}
	if fail != nil {
		changes = changes[:partly]
	}
	w.Mu.Lock()
	w.Written = append(w.Written, changes)
	w.Mu.Unlock()
	var upsert []model.Object
	var remove []model.Key
	for _, c := range changes {
		if c.New != nil {
			upsert = append(upsert, effect.ObjectOfPolicy(w.Current(), c.New))
		} else {
			remove = append(remove, c.Key)
		}
	}
	w.Apply(upsert, remove)
	return fail
}

// WithoutPods takes all pods away: what happens to connections is not known then.
func (w *WritingWorld) WithoutPods() {
	w.T.Helper()
	var keys []model.Key
	for p := range w.Current().Cluster.Pods() {
		keys = append(keys, p.Key)
	}
	w.Apply(nil, keys)
}

// ReadAudit are the lines of the audit in a folder.
func ReadAudit(t *testing.T, dir string) (out []history.AuditRecord) {
	t.Helper()
	f, err := os.Open(filepath.Join(dir, "audit.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	for sc := bufio.NewScanner(f); sc.Scan(); {
		var r history.AuditRecord
		if err := json.Unmarshal(sc.Bytes(), &r); err != nil {
			t.Fatal(err)
		}
		out = append(out, r)
	}
	return out
}

// Apply puts documents of YAML in.
func Apply(docs ...string) change.Mutation {
	return change.Mutation{Op: change.OpApply, YAML: []byte(strings.Join(docs, "---\n"))}
}

// Remove deletes an AdminNetworkPolicy.
func Remove(name string) change.Mutation {
	return change.Mutation{Op: change.OpDelete, Policy: given.ANPKey(name)}
}

// Move gives an AdminNetworkPolicy another priority.
func Move(name string, to int32) change.Mutation {
	return change.Mutation{Op: change.OpMove, Policy: given.ANPKey(name), Priority: float64(to)}
}

// Logged is a log of lines "FROM TO PORT SAID": a pod that has its address still, "gone" one
// that has none any more, or an address.
func Logged(t *testing.T, c *model.Cluster, lines ...string) *diff.LogConnections {
	t.Helper()
	log := &diff.LogConnections{IsNewest: true}
	end := func(text string) verdict.Endpoint {
		if a, err := netip.ParseAddr(text); err == nil {
			return verdict.AddrEnd(a)
		}
		ns, name, _ := strings.Cut(text, "/")
		e := verdict.PodEnd(ns, name)
		if p := c.Pod(ns, name); p != nil {
			e.Addr = netip.MustParseAddr(p.IPs[0])
		} else {
			e.Addr = netip.MustParseAddr("10.244.0.99")
		}
		return e
	}
	for i, text := range lines {
		var from, to, said string
		var port uint16
		if _, err := fmt.Sscan(text, &from, &to, &port, &said); err != nil {
			t.Fatal(err)
		}
		log.Connections = append(log.Connections, diff.LoggedConnection{Connection: verdict.Connection{From: end(from), To: end(to), Protocol: verdict.TCP, Port: port},
			LoggedVerdict: verdict.Verdict(said), Stage: model.StageAfterLB, Lines: i + 1})
		log.Lines += i + 1
	}
	return log
}

// Otherwise returns in a line what an effect says of the log.
func Otherwise(e *effect.Effect) string {
	if e == nil || e.Log == nil {
		return "none"
	}
	o := e.Log
	out := fmt.Sprintf("%d of %d, %d lost", o.Lines, o.Judged, o.Unattributed)
	for i := range o.Groups {
		g := &o.Groups[i]
		out += fmt.Sprintf(": %s → %s: %s (%s)", g.Before, g.After, seenText(g), revision.LoggedVerdictText(g))
	}
	return out
}

// APod is a Pod of the world that comes later.
func APod(ns, name, labels string, ip int) string {
	return ANamespace(ns, "tenant: "+strings.TrimSuffix(ns, "2")) + fmt.Sprintf("---\napiVersion: v1\nkind: Pod\nmetadata: {name: %s, namespace: %s, labels: {%s}}\nspec: {nodeName: worker, containers: [{name: c}]}\n"+
		"status: {phase: Running, podIPs: [{ip: 10.244.1.%d}]}\n", name, ns, labels, ip)
}

// ANamespace is a Namespace of the world that comes later.
func ANamespace(name, labels string) string {
	return fmt.Sprintf("---\napiVersion: v1\nkind: Namespace\nmetadata: {name: %s, labels: {%s}}\n", name, labels)
}

// NsKey is the key of a Namespace.
func NsKey(name string) model.Key { return model.Key{Kind: model.KindNamespace, Name: name} }

// Session starts logging of what is denied.
func Session(lasts time.Duration, targets ...model.Key) change.Mutation {
	return change.Mutation{Op: change.OpLogLevel, Policies: targets, Levels: model.LogLevels{Deny: "info"}, Session: true, SessionTime: lasts}
}

// Timed ends a logging session since its time is over.
func Timed(target model.Key) change.Mutation {
	return change.Mutation{Op: change.OpLogEnd, Policy: target, Timed: true}
}

// Writing is a Writer that is a function.
type Writing func(ctx context.Context, changes []change.ObjectChange) error

// Write calls the function.
func (w Writing) Write(ctx context.Context, changes []change.ObjectChange) error {
	return w(ctx, changes)
}

// Logging is the raw annotation of an object, "-" where it has none.
func (w *WritingWorld) Logging(k model.Key) string {
	w.T.Helper()
	p := w.Current().Cluster.Changeable(k)
	if p == nil {
		return "gone"
	}
	text, has := p.RawAnnotation(model.AnnotationLogging)
	if !has {
		text = "-"
	}
	if _, has := p.RawAnnotation(model.AnnotationLogSession); has {
		text += " (session)"
	}
	return text
}

// Titles are the entries of a history.
func Titles(h *history.History) (out []string) {
	for _, e := range h.Entries() {
		s := e.Title
		if e.Undone {
			s += " (undone)"
		}
		out = append(out, s)
	}
	return out
}

// seenText says in one line which logged connections become something else: "blue/api-0 →
// red (3 pods), TCP 80: 14 lines".
func seenText(g *diff.LoggedGroup) string {
	return fmt.Sprintf("%s → %s, %s: %s", revision.EndsText(g.From), revision.EndsText(g.To),
		revision.PortsText([]verdict.PortRange{{Protocol: g.Protocol, Lo: g.Port, Hi: g.Port}}), words.Count(g.Lines, "line"))
}
