package logs

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"rung/compiler"
	"rung/model"
	"rung/model/logline"
	"rung/model/ovn/nb"
	"rung/sources/acllog"
	"rung/test/changing"
	"rung/test/given"
)

// aPod is a pod with an address that was made at a time, or at one nobody knows.
func aPod(namespace, name, ip string, made time.Time) *model.Pod {
	return &model.Pod{Meta: model.Meta{Key: model.Key{Kind: model.KindPod, Namespace: namespace, Name: name}, Created: made},
		IPs: []string{ip}, NodeName: "worker", Phase: "Running"}
}

// after moves the world's clock.
func after(w *changing.World, d time.Duration) {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	w.Now = w.Now.Add(d)
}

// An address is given the name of the pod that had it when the line was written.
func TestSentencesOfReusedAddresses(t *testing.T) {
	w := changing.New(t, given.ANP("control", 34, "", "in deny *"))
	l := logWorld(t, w, 100)
	start := w.Clock()
	at := func(d time.Duration) time.Time { return start.Add(d) }
	event := func(d time.Duration, old, now *model.Pod) {
		after(w, at(d).Sub(w.Clock()))
		c := model.Change{}
		if old != nil {
			c.Old = old
		}
		if now != nil {
			c.New = now
		}
		l.Observe([]model.Change{c})
	}
	// A job has .50 until 10 minutes in; at 12 minutes the address is given to a server.
	job, web := aPod("green", "job-x", "10.244.0.50", at(time.Minute)), aPod("blue", "api-7", "10.244.0.50", at(12*time.Minute))
	event(time.Minute, nil, job)
	event(10*time.Minute, job, nil)
	event(12*time.Minute+2*time.Second, nil, web)
	// .51 was a pod's that is older than Rung; when it was made is known.
	event(13*time.Minute, nil, aPod("red", "old", "10.244.0.51", at(-time.Hour)))
	// .52 was one's that nobody saw come, and went.
	event(14*time.Minute, aPod("red", "seen", "10.244.0.52", time.Time{}), nil)
	event(14*time.Minute, nil, aPod("red", "brief", "10.244.0.53", time.Time{}))
	event(15*time.Minute, aPod("red", "brief", "10.244.0.53", time.Time{}), nil)
	// A pod completes, and its address is given away before it is deleted.
	done := aPod("red", "batch", "10.244.0.54", at(0))
	completed := *done
	completed.Phase = "Succeeded"
	event(16*time.Minute, nil, done)
	event(17*time.Minute, done, &completed)
	event(18*time.Minute, nil, aPod("red", "next", "10.244.0.54", at(18*time.Minute)))
	after(w, time.Hour)
	const tail = " → blue/web-0 tcp 80 dropped by control ingress 0"
	for _, c := range []struct {
		ip   string
		at   time.Duration
		want string
	}{
		{"10.244.0.50", 5 * time.Minute, "10.244.0.50 (gone 12:10:00: green/job-x)"}, // old line, new pod
		{"10.244.0.50", 11 * time.Minute, "10.244.0.50 (gone 12:10:00: green/job-x)"},
		{"10.244.0.50", 12*time.Minute + time.Second, "blue/api-7"}, // before its event came
		{"10.244.0.50", 20 * time.Minute, "blue/api-7"},
		{"10.244.0.50", 0, "10.244.0.50 (now blue/api-7)"}, // before both
		{"10.244.0.51", 0, "red/old"},
		{"10.244.0.51", -2 * time.Hour, "10.244.0.51 (now red/old)"},
		{"10.244.0.53", 14*time.Minute + 30*time.Second, "10.244.0.53 (gone 12:15:00: red/brief)"},
		{"10.244.0.53", 5 * time.Minute, "10.244.0.53 (no longer known)"},
		{"10.244.0.54", 16*time.Minute + 30*time.Second, "red/batch"},
		{"10.244.0.54", 17*time.Minute + 30*time.Second, "red/batch (completed)"},
		{"10.244.0.54", 30 * time.Minute, "red/next"},
		{"10.244.0.8", time.Minute, "red/web-0"},
		{"10.244.0.8", -time.Hour, "red/web-0 (now)"}, // before the first event, made nobody knows when
		{"9.9.9.9", -time.Hour, "9.9.9.9 (outside)"},
	} {
		x := line(w, "ANP:control:Ingress:0", "drop", nb.ToLport, "tcp", c.ip, "10.244.0.4", 80)
		x.At = at(c.at)
		l.takeArrival(arrival{line: x})
		want := c.want + tail
		if c.at < -logline.Slack {
			want = c.want + strings.Replace(tail, "blue/web-0", "blue/web-0 (now)", 1)
		}
		if got := newest(l).Sentence(); got != want {
			t.Errorf("%s at %s:\ngot  %s\nwant %s", c.ip, c.at, got, want)
		}
		// For scripts a name is a name: that it is of now stands apart.
		name, when := c.want, ""
		if n, now := strings.CutSuffix(c.want, " (now)"); now {
			name, when = n, "now"
		}
		if got, asOf := newest(l).Src.NameAndTime(); got != name || asOf != when {
			t.Errorf("%s at %s: %q as of %q, want %q as of %q", c.ip, c.at, got, asOf, name, when)
		}
	}
}

// Names that were cut are resolved by the packet, and where that does not tell the
// sentence says so.
func TestSentencesOfCutNames(t *testing.T) {
	long := strings.Repeat("x", 60)
	w := changing.New(t,
		given.ANP(long, 10, "tenant=blue", "in allow team=ops tcp:80", "in allow team=ops tcp:443", "in deny tenant=red"),
		given.ANP(long+"a", 20, "tenant=green", "in allow team=ops"),
		given.ANP(long+"b", 20, "tenant=green", "in allow team=ops"),
		given.ANP(long+"c", 20, "tenant=green", "in allow team=ops"),
		given.ANP(long+"d", 20, "tenant=green", "in allow team=ops"))
	l := logWorld(t, w, 100)
	name := logline.ACLName(given.ANPKey(long), model.Ingress, 0)
	const green, blue = "10.244.0.6", "10.244.0.4"
	for _, c := range []struct {
		what string
		line logline.Line
		want string
	}{
		{"by port", line(w, name, "allow", nb.ToLport, "tcp", "10.244.0.3", blue, 443), "monitoring/prom-0 → blue/web-0 tcp 443 allowed by " + long + " ingress 1"},
		{"by verdict", line(w, name, "drop", nb.ToLport, "tcp", "10.244.0.8", blue, 443), "red/web-0 → blue/web-0 tcp 443 dropped by " + long + " ingress 2"},
		{"four may be it", line(w, name, "allow", nb.ToLport, "sctp", "10.244.0.3", green, 9), "monitoring/prom-0 → green/web-0 sctp 9 allowed by one of 4 rules with the same truncated name: " +
			long + "a ingress 0, " + long + "b ingress 0, " + long + "c ingress 0 and 1 more"},
		{"none fits", line(w, name, "allow", nb.ToLport, "tcp", "10.244.0.8", blue, 443), "red/web-0 → blue/web-0 tcp 443 allowed by an unknown rule, ACL " + fmt.Sprintf("%q", name)},
		{"written in a file, not on a node", func() logline.Line {
			x := line(w, name, "allow", nb.ToLport, "tcp", "10.244.0.3", blue, 80)
			x.Zone = "acl-audit-log.log"
			return x
		}(), "monitoring/prom-0 → blue/web-0 tcp 80 allowed by " + long + " ingress 0"},
	} {
		l.takeArrival(arrival{line: c.line})
		if got := newest(l).Sentence(); got != c.want {
			t.Errorf("%s:\ngot  %s\nwant %s", c.what, got, c.want)
		}
	}
	// A policy changes: the next line is resolved by what it is then.
	w.Cluster, _ = w.Cluster.Upsert(nil, []model.Key{given.ANPKey(long + "c"), given.ANPKey(long + "d"), given.ANPKey(long + "b")})
	w.Publish()
	after(w, judgedFor)
	l.takeArrival(arrival{line: line(w, name, "allow", nb.ToLport, "sctp", "10.244.0.3", green, 9)})
	if got, want := newest(l).Sentence(), "monitoring/prom-0 → green/web-0 sctp 9 allowed by "+long+"a ingress 0"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if s := l.Stats(); s.Unattributed != 2 {
		t.Errorf("%+v", s)
	}
}

// Services, nodes, networks of rules and IPv6.
func TestSentencesOfAddresses(t *testing.T) {
	w := changing.New(t,
		`{apiVersion: v1, kind: Service, metadata: {name: api, namespace: blue}, spec: {clusterIP: 10.96.0.17, clusterIPs: [10.96.0.17, "fd00:96::17"], ports: [{port: 80}]}}`,
		`{apiVersion: v1, kind: Node, metadata: {name: six, annotations: {k8s.ovn.org/host-cidrs: '["fc00::2/64","172.18.0.9/16"]', k8s.ovn.org/node-subnets: '{"default":["10.244.9.0/24","fd00:10:244:9::/64"]}'}}}`,
		`{apiVersion: v1, kind: Pod, metadata: {name: v6, namespace: red}, spec: {nodeName: six, containers: [{name: c}]}, status: {phase: Running, podIPs: [{ip: "fd00:10:244:9::5"}]}}`,
		given.ANP("control", 34, "", "in deny *", "out deny 10.9.0.0/16", "out deny 0.0.0.0/0", "out deny 2001:db8::/32"),
		given.NP("blue", "some", "{podSelector: {}, ingress: [{from: [{ipBlock: {cidr: 10.8.0.0/16, except: [10.8.1.0/24]}}, {ipBlock: {cidr: 10.8.4.0/24}}]}]}"))
	w.Options = compiler.Options{IPv4: true, IPv6: true}
	w.Publish()
	l := logWorld(t, w, 100)
	for _, c := range []struct {
		line logline.Line
		want string
	}{
		{line(w, "ANP:control:Egress:1", "drop", nb.FromLport, "tcp", "10.244.0.4", "10.96.0.17", 80), "blue/web-0 → service blue/api tcp 80 dropped by control egress 1"},
		{line(w, "ANP:control:Egress:1", "drop", nb.FromLport, "tcp", "fd00:10:244:9::5", "fd00:96::17", 80), "red/v6 → service blue/api tcp 80 dropped by control egress 1"},
		{line(w, "ANP:control:Egress:0", "drop", nb.FromLport, "tcp", "10.244.0.4", "10.9.8.7", 80), "blue/web-0 → 10.9.8.7 (outside, in 10.9.0.0/16) tcp 80 dropped by control egress 0"},
		{line(w, "ANP:control:Egress:1", "drop", nb.FromLport, "tcp", "10.244.0.4", "10.9.8.7", 80), "blue/web-0 → 10.9.8.7 (outside) tcp 80 dropped by control egress 1"}, // everything is in it
		{line(w, "ANP:control:Egress:2", "drop", nb.FromLport, "udp", "fd00:10:244:9::5", "2001:db8::53", 53), "red/v6 → 2001:db8::53 (outside, in 2001:db8::/32) udp 53 dropped by control egress 2"},
		{line(w, "NP:blue:some:Ingress:0", "allow", nb.ToLport, "tcp", "10.8.4.7", "10.244.0.4", 80), "10.8.4.7 (outside, in 10.8.4.0/24) → blue/web-0 tcp 80 allowed by NP blue/some ingress 0"},
		{line(w, "NP:blue:some:Ingress:0", "allow", nb.ToLport, "tcp", "10.8.9.7", "10.244.0.4", 80), "10.8.9.7 (outside, in 10.8.0.0/16) → blue/web-0 tcp 80 allowed by NP blue/some ingress 0"},
		{line(w, "NP:blue:some:Ingress:0", "allow", nb.ToLport, "tcp", "10.8.1.7", "10.244.0.4", 80), "10.8.1.7 (outside) → blue/web-0 tcp 80 allowed by NP blue/some ingress 0"}, // carved out
		{line(w, "ANP:control:Ingress:0", "drop", nb.ToLport, "icmp6", "fc00::2", "fd00:10:244:9::5", 0), "node six → red/v6 icmp6 dropped by control ingress 0"},
		{line(w, "ANP:control:Ingress:0", "drop", nb.ToLport, "tcp", "10.244.9.2", "10.244.0.4", 8080), "node six (management port) → blue/web-0 tcp 8080 dropped by control ingress 0"},
		{line(w, "ANP:control:Ingress:0", "drop", nb.ToLport, "sctp", "::ffff:10.244.0.8", "10.244.0.4", 9), "red/web-0 → blue/web-0 sctp 9 dropped by control ingress 0"},
	} {
		l.takeArrival(arrival{line: c.line})
		if got := newest(l).Sentence(); got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
	}
}

// The lines of Antrea's page, and of policies that Rung knows.
func TestSentencesOfAntrea(t *testing.T) {
	named := strings.Replace(given.ANP("control", 34, "", "out deny 0.0.0.0/0"), "- action: Deny", "- name: default-deny\n    action: Deny", 1)
	w := changing.New(t, named, given.NP("blue", "web", "{podSelector: {}, ingress: [{ports: [{port: 80}]}, {ports: [{port: 81}]}]}"),
		given.NP("blue", "one", "{podSelector: {}, ingress: [{}]}"))
	l := logWorld(t, w, 100)
	now := w.Clock().Format("2006/01/02 15:04:05.000000 ")
	for text, want := range map[string]string{
		`IngressDefaultRule AntreaNetworkPolicy:default/reject-tcp-policy RejectTCPRequest Ingress Reject 16 default/nettoolv3 10.10.1.7 53646 10.10.1.14 80 TCP 60 tcp-log-label`:                `10.10.1.7 (outside) → 10.10.1.14 (outside) tcp 80 rejected by ANNP default/reject-tcp-policy ingress "RejectTCPRequest" (this policy does not exist now)`,
		`AntreaPolicyEgressRule AntreaNetworkPolicy:default/r RejectICMPRequest Egress Reject 14500 default/n 10.10.1.7 <nil> 10.10.2.3 <nil> ICMP 84 icmp-log-label [2 packets in 1.000855539s]`: `10.10.1.7 (outside) → 10.10.2.3 (outside) icmp rejected by ANNP default/r egress "RejectICMPRequest" (this policy does not exist now), 2 packets in 1.001s`,
		`IngressRule K8sNetworkPolicy:default/allow-tcp-80 <nil> Ingress Allow 190 default/nettool 10.10.1.13 57050 10.10.1.7 80 TCP 60 <nil>`:                                                    `10.10.1.13 (outside) → 10.10.1.7 (outside) tcp 80 allowed by NP default/allow-tcp-80 ingress (this policy does not exist now)`,
		`IngressDefaultRule K8sNetworkPolicy <nil> Ingress Drop <nil> default/nettool 10.10.1.13 <nil> 10.10.1.7 <nil> ICMP 84 <nil>`:                                                             `10.10.1.13 (outside) → 10.10.1.7 (outside) icmp dropped by the default deny of default, ingress: no NetworkPolicy allows it`,
		`IngressDefaultRule K8sNetworkPolicy Drop <nil> 10.10.1.13 <nil> 10.244.0.4 <nil> ICMP 84`:                                                                                                `10.10.1.13 (outside) → blue/web-0 icmp dropped by the default deny of blue, ingress: no NetworkPolicy allows it`,
		`IngressDefaultRule K8sNetworkPolicy Drop <nil> 10.10.1.13 <nil> 10.10.1.7 <nil> ICMP 84`:                                                                                                 `10.10.1.13 (outside) → 10.10.1.7 (outside) icmp dropped by a default deny: no NetworkPolicy allows it`,
		`AntreaPolicyEgressRule AntreaNetworkPolicy:default/test-anp Drop 44900 10.244.0.4 35402 10.0.0.5 80 TCP 60 [3 packets in 1.011379442s]`:                                                  `blue/web-0 → 10.0.0.5 (outside) tcp 80 dropped by ANNP default/test-anp egress (this policy does not exist now), 3 packets in 1.011s`,
		`AntreaPolicyEgressRule AdminNetworkPolicy:control default-deny Egress Drop 14500 blue/web-0 10.244.0.4 1 8.8.8.8 53 UDP 84 <nil>`:                                                        `blue/web-0 → 8.8.8.8 (outside) udp 53 dropped by control egress 0 "default-deny"`,
		`AntreaPolicyEgressRule AdminNetworkPolicy:gone some-rule Egress Drop 14500 blue/web-0 10.244.0.4 1 8.8.8.8 53 UDP 84 <nil>`:                                                              `blue/web-0 → 8.8.8.8 (outside) udp 53 dropped by gone egress "some-rule" (this policy does not exist now)`,
		`IngressRule K8sNetworkPolicy:blue/one <nil> Ingress Allow 190 blue/web-0 10.244.0.8 57050 10.244.0.4 99 TCP 60 <nil>`:                                                                    `red/web-0 → blue/web-0 tcp 99 allowed by NP blue/one ingress 0`,
		`IngressRule K8sNetworkPolicy:blue/web <nil> Ingress Allow 190 blue/web-0 10.244.0.8 57050 10.244.0.4 81 TCP 60 <nil>`:                                                                    `red/web-0 → blue/web-0 tcp 81 allowed by NP blue/web ingress 1`,
		`IngressRule AntreaClusterNetworkPolicy:isolate l7 Ingress Redirect 190 blue/web-0 fd00::1 1 fd00::2 80 TCP 60 <nil>`:                                                                     `fd00::1 (outside) → fd00::2 (outside) tcp 80 redirected by ACNP isolate ingress "l7" (this policy does not exist now)`,
	} {
		x, err := acllog.Parse(now + text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		l.takeArrival(arrival{line: x})
		if got := newest(l).Sentence(); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
	// The default deny of nobody knows where.
	if s := l.Stats(); s.Unattributed != 1 || len(s.PerRule) != 11 {
		t.Errorf("%d without a rule, %d rules", s.Unattributed, len(s.PerRule))
	}
	for ref, stat := range l.Stats().PerRule {
		if stat.AtCap {
			t.Errorf("%v: at the limit of a meter", ref)
		}
	}
}

// A line that says of which pod's log it is stands at the pod's node.
func TestLinesOfPodsLogs(t *testing.T) {
	w := changing.New(t, given.ANP("control", 34, "", "in deny *"),
		`{apiVersion: v1, kind: Pod, metadata: {name: ovnkube-node-x, namespace: kube-system}, spec: {nodeName: control, hostNetwork: true, containers: [{name: c}]}, status: {phase: Running, podIPs: [{ip: 172.18.0.3}]}}`)
	l := logWorld(t, w, 100)
	for pod, want := range map[string]string{"ovnkube-node-x": "control", "kube-system/ovnkube-node-x": "control", "ovnkube-node-y": "ovnkube-node-y", "red/ovnkube-node-x": "red/ovnkube-node-x", "": ""} {
		x := line(w, "ANP:control:Ingress:0", "drop", nb.ToLport, "tcp", "10.244.0.3", "10.244.0.4", 80)
		x.Zone, x.Pod = "", pod
		l.takeArrival(arrival{line: x})
		if got := newest(l).Line.Zone; got != want {
			t.Errorf("%q stands at %q, want %q", pod, got, want)
		}
	}
	x := line(w, "a", "drop", nb.ToLport, "tcp", "10.244.0.3", "10.244.0.4", 80)
	x.Zone, x.Pod = "a.log", "ovnkube-node-y"
	l.takeArrival(arrival{line: x})
	if got := newest(l).Line.Zone; got != "a.log" {
		t.Errorf("a source's own name gave way to %q", got)
	}
}
