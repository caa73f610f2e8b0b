package acllog

import (
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"rung/model/logline"
	"rung/model/words"
)

// What stands in front of a line, by whoever collected or printed it, is read; the line
// behind it is the same.
func TestPrefixes(t *testing.T) {
	want, err := Parse(seedLines[1])
	if err != nil {
		t.Fatal(err)
	}
	_, message, _ := strings.Cut(seedLines[1], "Z|")
	for prefix, is := range map[string]struct {
		node, pod string
		second    bool // syslog's time, of whole seconds, counts
	}{
		"":                                {},
		"2024-06-09T19:00:10.696912345Z ": {}, // a must-gather's current.log, kubectl logs --timestamps
		"2024-06-09T19:00:10.696912345+02:00 stdout F ":                                          {}, // /var/log/pods
		"2024-06-09T19:00:10.696912345Z stderr P ":                                               {},
		"[pod/ovnkube-node-x/ovn-controller] ":                                                   {pod: "ovnkube-node-x"},
		"[pod/ovnkube-node-x/ovn-controller] 2024-06-09T19:00:10.5Z ":                            {pod: "ovnkube-node-x"},
		"ovnkube-node-x ovn-acl-logging ":                                                        {pod: "ovnkube-node-x"},
		"openshift-ovn-kubernetes ovnkube-node-x ovn-acl-logging ":                               {pod: "openshift-ovn-kubernetes/ovnkube-node-x"},
		"ovnkube-node-x ovn-controller 2024-06-09T19:00:10.5Z ":                                  {pod: "ovnkube-node-x"},
		"ip-10-0-1-2.ec2.internal ":                                                              {node: "ip-10-0-1-2.ec2.internal"}, // oc adm node-logs
		"2024-06-09T19:00:10+00:00 worker-0 ovn-controller[71]: ":                                {node: "worker-0"},
		"<134>1 2024-06-09T19:00:10Z worker-0 ovn-controller 71 - - ":                            {node: "worker-0"},
		"ip-10-0-1-2.ec2.internal 2024-06-09T19:00:10+00:00 ip-10-0-1-2 ovn-controller[71]: ovs": {node: "ip-10-0-1-2.ec2.internal", second: true},
		"2024-06-09T21:00:10+02:00 worker-0 ovn-controller[71]: ovs":                             {node: "worker-0", second: true},
		"<134>1 2024-06-09T19:00:10Z worker-0 ovn-controller 71 ACL [meta id=\"5\"] ovs":         {node: "worker-0", second: true},
	} {
		line, want := prefix+seedLines[1], want
		if is.second {
			line, want.At = prefix+"|"+message, want.At.Truncate(time.Second)
		}
		want.Raw, want.Zone, want.Pod = line, is.node, is.pod
		got, err := Parse(line)
		if err != nil {
			t.Errorf("%q: %v", prefix, err)
			continue
		}
		if d := cmp.Diff(want, got, lines); d != "" {
			t.Errorf("%q (-want +got):\n%s", prefix, d)
		}
	}
	for _, prefix := range []string{"somebody says ", "a b c d ", "time=\"x\" ", "[pod/x/y]", "[pod/x ", "<x>1 ", "<134> ", "2024-06-09T19:00:10Z worker-0 ovn-controller[71] ",
		"2024-06-09T19:00:10Z worker-0 ", "2024-06-09T19:00:10Z stdout X ", "x y ", "a ovn b ", "-x "} {
		if l, err := Parse(prefix + seedLines[1]); err == nil {
			t.Errorf("%q: read as of %q %q", prefix, l.Zone, l.Pod)
		}
	}
	// Without the program's name, and wrapped by a collector.
	quoted := strings.ReplaceAll(message, `"`, `\"`)
	_, text, _ := strings.Cut(message, "|INFO|")
	for line, seq := range map[string]uint64{
		"<132>Jun  9 19:00:10 10.0.1.2 ovs|" + message:                                                 163,
		`{"@timestamp":"2024-06-09T19:00:10Z","hostname":"10.0.1.2","message":"ovs|` + quoted + `"}`:   163,
		`{"hostname":"10.0.1.2","message":"2024-06-09T19:00:10Z|` + quoted + `\n","log_type":"audit"}`: 163,
		"<132>1 2024-06-09T19:00:10Z 10.0.1.2 ovn-controller 71 acl_log - \uFEFF" + text:               0,
		"<132>1 2024-06-09T19:00:10Z 10.0.1.2 ovn-controller 71 acl_log - " + text:                     0,
		"<132>Jun  9 19:00:10 10.0.1.2 ovn-controller: ovs|" + message:                                 163,
		"<132>1 2024-06-09T19:00:10Z 10.0.1.2 ovn-controller 71 - - " + message:                        163,
		"Jun  9 19:00:10 10.0.1.2 ovn-controller[71]: " + message:                                      163,
	} {
		got, err := Parse(line)
		if err != nil || got.Zone != "10.0.1.2" || got.At.Format("01-02 15:04:05") != "06-09 19:00:10" || got.Seq != seq || got.Src != want.Src || got.DstPort != want.DstPort {
			t.Errorf("%s: %+v, %v", line, got, err)
		}
		if !MayBeACLLine([]byte(line)) {
			t.Errorf("%s: would not even be looked at", line)
		}
	}
	if l, err := Parse(`{"hostname":"a","message":"2024-06-09T19:00:10Z|` + quoted); err == nil {
		t.Errorf("cut JSON was read: %+v", l)
	}
	// "ovs" is a time only where syslog gave one.
	if _, err := Parse("ovs|" + message); err == nil {
		t.Error("a line without any time was read")
	}
}

// BSD's syslog writes no year: it is the last such day.
func TestYearless(t *testing.T) {
	for _, c := range []struct{ stamp, now, want string }{
		{"Jun  9 19:00:10", "2024-06-09T19:00:11Z", "2024-06-09T19:00:10Z"},
		{"Dec 31 23:59:59", "2025-01-01T00:00:05Z", "2024-12-31T23:59:59Z"},
		{"Jan  1 00:00:03", "2024-12-31T23:59:59Z", "2025-01-01T00:00:03Z"}, // a clock that is ahead
		{"Feb 29 12:00:00", "2026-11-23T00:00:00Z", "2024-02-29T12:00:00Z"},
		{"Jun 31 12:00:00", "2026-11-23T00:00:00Z", ""},
		{"Jux  1 12:00:00", "2026-11-23T00:00:00Z", ""},
	} {
		now, err := time.Parse(time.RFC3339, c.now)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if at, ok := parseYearless(c.stamp, now); ok {
			got = at.Format(time.RFC3339)
		}
		if got != c.want {
			t.Errorf("%s read at %s is %q, want %q", c.stamp, c.now, got, c.want)
		}
	}
	_, message, _ := strings.Cut(seedLines[1], "Z|")
	l, err := Parse("Jun  9 19:00:10 worker-0 ovn-controller[71]: ovs|" + message)
	if err != nil || l.Zone != "worker-0" || l.At.Format("01-02 15:04:05") != "06-09 19:00:10" || time.Since(l.At) > 366*24*time.Hour || l.Seq != 163 {
		t.Errorf("%+v, %v", l, err)
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range seedLines {
		f.Add(s)
		f.Add("2024-06-09T19:00:10.441912345Z stdout F " + s)
	}
	f.Add(`2021-07-06T08:26:58.687Z|00004|acl_log(ovn_pinctrl0)|INFO|name="verify-audit-logging_deny-all", verdict=drop, severity=alert:icmp,vlan_tci=0x0000,dl_src=0a:58:0a:81:02:12,dl_dst=0a:58:0a:81:02:14,nw_src=10.129.2.18,nw_dst=10.129.2.20,nw_tos=0,nw_ecn=0,nw_ttl=64,icmp_type=8,icmp_code=0`)
	f.Add(`2022-07-20T05:55:03Z|00394|acl_log(ovn_pinctrl0)|INFO|name="<unnamed>", verdict=drop, severity=warning, direction=to-lport: udp6,ipv6_src=fd00::1,ipv6_dst=fd00::2,tp_src=54343,tp_dst=53`)
	f.Add("2022-07-20T05:55:03Z|1|acl_log|INFO|name=\"\\u202e\\\"\", verdict=a, severity=b, c=d: arp,arp_spa=10.0.0.1,arp_tpa=10.0.0.2,arp_op=1")
	f.Add("<134>1 2024-06-09T19:00:10Z w ovn-controller 7 - - ovs|1|acl_log|INFO|name=\"\", verdict=a, severity=b: tcp,nw_src=10.0.0.1,nw_dst=10.0.0.2,tp_src=1,tp_dst=2,tcp_flags=0")
	f.Add("[pod/a/ovn] Feb 29 19:00:10 w ovn[7]: ovs|1|acl_log|INFO|name=\"\", verdict=a, severity=b: tcp,nw_src=10.0.0.1,nw_dst=10.0.0.2,tp_src=1,tp_dst=2,tcp_flags=0")
	f.Add(`{"@timestamp":"2024-06-09T19:00:10Z","hostname":"a","message":"ovs|1|acl_log|INFO|name=\"x\", verdict=a, severity=b: vlan_tci=0x0000,dl_type=0x88cc"}`)
	f.Add("<132>1 2024-06-09T19:00:10Z w ovn-controller 71 acl_log - \uFEFFname=\"x\", verdict=a, severity=b: udp,nw_src=10.0.0.1,nw_dst=10.0.0.2,nw_frag=later")
	for _, s := range antreaLines {
		f.Add(s)
		f.Add("node-1 " + s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if l, err := ParseUnended(s); err == nil {
			if whole, err := Parse(s); err != nil || whole != l && l.Named == nil {
				t.Fatalf("%q is read only without its end", s)
			}
		}
		if _, err := Parse(s); err == nil && !MayBeACLLine([]byte(s)) {
			t.Fatalf("%q would not even be looked at", s)
		}
		l, err := Parse(s)
		if err != nil {
			if !words.IsClean(err.Error()) {
				t.Fatalf("unclean error %q", err)
			}
			return
		}
		texts := []string{l.Name, l.Verdict, l.Severity, l.Direction, l.Proto, l.TCPFlags, l.Raw, l.Zone, l.Pod}
		if a := l.Named; a != nil {
			texts = append(texts, a.Table, a.Policy.String(), a.Rule, a.AppliedTo, a.Label)
			if a.Packets < 1 || a.Over < 0 {
				t.Fatalf("%+v from %q", a, s)
			}
		}
		for _, text := range texts {
			if !words.IsClean(text) {
				t.Fatalf("unclean text %q from %q", text, s)
			}
		}
		for _, a := range []netip.Addr{l.Src, l.Dst} {
			if a.Zone() != "" {
				t.Fatalf("an address with a zone from %q", s)
			}
		}
		if l.At.Location() != time.UTC {
			t.Fatalf("a time that is not in UTC from %q", s)
		}
		_, _ = logline.DecodeName(l.Name)
		if l.Named != nil {
			return
		}
		// What Format writes of it is read and written the same from then on.
		once := Format(l)
		again, err := Parse(once)
		if err != nil {
			t.Fatalf("%q: %v", once, err)
		}
		if twice := Format(again); twice != once {
			t.Fatalf("written first:\n%s\nand then:\n%s", once, twice)
		}
	})
}
