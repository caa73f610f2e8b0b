package flow

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"rung/model"
)

// Forms of flows of ACLs from OVN 23.06 on.
func TestRead(t *testing.T) {
	for _, c := range []struct {
		name, stage, match, actions string
		want                        Reading
		words                       []string
	}{
		{"an allow of 23.09, with log", "ls_out_acl_eval",
			`reg8[30..31] == 1 && reg0[7] == 1 && (outport == @a1 && ((ip4.src == $a2)))`,
			`log(name="ANP:x:Ingress:0", severity=alert, verdict=allow, meter="acl-logging__f4"); reg8[16] = 1; reg0[1] = 1; next;`,
			Reading{Stage: model.StageToLport, Part: PartEval, Tier: 1, Hint: HintAllowNew, Match: "outport == @a1 && ((ip4.src == $a2))",
				Verdict: "allow", Log: &Log{"ANP:x:Ingress:0", "allow", "alert", "acl-logging__f4"}},
			[]string{"log as ANP:x:Ingress:0, verdict allow, severity alert, meter acl-logging__f4", "allow", "remember the connection"}},
		{"the cut of 23.09", "ls_in_acl_after_lb_eval", `reg8[30..31] == 3 && reg0[10] == 1 && (inport == @a1)`,
			`reg8[17] = 1; ct_commit { ct_mark.blocked = 1; }; next;`,
			Reading{Stage: model.StageAfterLB, Part: PartEval, Tier: 3, Hint: HintBlock, Match: "inport == @a1", Verdict: "drop"},
			[]string{"drop", "mark the connection as denied"}},
		{"a pass, of a stage where tiers do not count", "ls_in_acl_eval", `(ip4 || ip6)`, `next;`,
			Reading{Stage: model.StageFromLport, Part: PartEval, Tier: NoTier, Match: "ip4 || ip6"}, nil},
		{"two parentheses are not one", "ls_in_acl_eval", `(ip4) || (ip6)`, `next;`,
			Reading{Stage: model.StageFromLport, Part: PartEval, Tier: NoTier, Match: "(ip4) || (ip6)"}, nil},
		{"a parenthesis in a name", "ls_in_acl_eval", `(inport == "a)(b")`, `next;`,
			Reading{Stage: model.StageFromLport, Part: PartEval, Tier: NoTier, Match: `inport == "a)(b"`}, nil},
		{"an action nobody knows", "ls_in_acl_eval", "1", `frobnicate(reg0, "a;b"); next;`,
			Reading{Stage: model.StageFromLport, Part: PartEval, Tier: NoTier, Match: "1", UnknownActions: 1}, []string{`frobnicate(reg0, "a;b")`}},
		{"the next tier", "ls_out_acl_action", "reg8[30..31] == 0", "reg8[30..31] = 1; next(pipeline=egress,table=6);",
			Reading{Stage: model.StageToLport, Part: PartAction, Tier: NoTier, Match: "reg8[30..31] == 0"}, []string{"go on to tier 1"}},
		{"a drop carried out", "ls_out_acl_action", "reg8[17] == 1", "reg8[16] = 0; reg8[17] = 0; reg8[18] = 0; reg8[30..31] = 0; /* drop */",
			Reading{Stage: model.StageToLport, Part: PartAction, Tier: NoTier, Match: "reg8[17] == 1", Verdict: "drop"}, []string{"drop"}},
		{"a name with quotes", "ls_out_acl_eval", "(1)", `log(name="a\"; b", verdict=drop); reg8[17] = 1; next;`,
			Reading{Stage: model.StageToLport, Part: PartEval, Tier: NoTier, Match: "1", Verdict: "drop", Log: &Log{Name: `a"; b`, Verdict: "drop"}},
			[]string{`log as a"; b, verdict drop`, "drop"}},
		{"a name with a quote, as northd 25.03 writes it", "ls_out_acl_eval", "(1)", `log(name="n"q;15", severity=info, verdict=allow); reg8[16] = 1; next;`,
			Reading{Stage: model.StageToLport, Part: PartEval, Tier: NoTier, Match: "1", Verdict: "allow", Log: &Log{Name: "n", Verdict: "allow"}},
			[]string{"log as n, verdict allow", "allow"}},
	} {
		got, ok := ReadFlow(c.stage, c.match, c.actions)
		words := ActionTexts(got.Acts)
		got.Acts = nil
		if diff := cmp.Diff(c.want, got); !ok || diff != "" {
			t.Errorf("%s: %v (-want +got)\n%s", c.name, ok, diff)
		}
		if !slices.Equal(words, c.words) {
			t.Errorf("%s: %q, want %q", c.name, words, c.words)
		}
	}
	for _, stage := range []string{"", "lr_in_admission", "ls_in_l2_lkup", "ls_out_acl_after_lb_eval", "ls_in_acl_x", "ls_in_pre_lb"} {
		if _, ok := ReadFlow(stage, "1", "next;"); ok {
			t.Errorf("stage %q was read", stage)
		}
	}
}

// Flows that are made for no ACL, or for other rows than ACLs, as OVN 25.03 has them.
func TestPurpose(t *testing.T) {
	for _, c := range []struct {
		stage, match, actions string
		priority              int
		want                  string
	}{
		{"ls_out_acl_eval", `outport == "p" && eth.src == 0a:58:0a:f5:00:fe && ip4.src == 10.245.0.254 && udp && udp.src == 67 && udp.dst == 68`, "reg8[16] = 1; next;", 34000, "answers of OVN's own DHCP and DNS"},
		{"ls_in_acl_eval", "eth.dst == $svc_monitor_mac", "reg8[16] = 1; next;", 34000, "health checks of load balancers"},
		{"ls_out_acl_eval", "ip && ct.est && ct_mark.blocked == 1", "reg0[1] = 1; reg8[16] = 1; next;", 1, "no ACL of this tier decides: the cut connection is let through again"},
		{"ls_out_acl_eval", "1", "next;", 65535, "no ACLs here"},
		{"ls_out_acl_action", "1", "reg8[16] = 0; reg8[17] = 0; reg8[18] = 0; reg8[30..31] = 0; next;", 0, "no ACL decided: let through"},
		{"ls_out_acl_action", "1", "reg8[16] = 0; reg8[17] = 0; reg8[18] = 0; reg8[30..31] = 0; /* drop */", 0, "no ACL decided: dropped"},
		{"ls_out_acl_action", "reg8[30..31] == 2", "reg8[30..31] = 3; next(pipeline=egress,table=6);", 500, "no ACL of this tier decided: go on to tier 3"},
		{"ls_out_acl_sample", "ip && (ct.new || !ct.trk) && reg8[0..7] == 1 && reg8[19..20] == 2", "flags.pkt_sampled = 1; sample(probability=65535,collector_set=42,obs_domain=10,obs_point=reg3); next;", 1000, "sends samples for observability"},
		{"ls_out_pre_acl", `ip && outport == "stor-n"`, "next;", 110, "a port without connection tracking, such as the router's"},
	} {
		r, ok := ReadFlow(c.stage, c.match, c.actions)
		if got := r.PurposeText(c.priority); !ok || got != c.want || r.UnknownActions != 0 {
			t.Errorf("%s %d %s: %q, %d odd; want %q", c.stage, c.priority, c.match, got, r.UnknownActions, c.want)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add("ls_out_acl_eval", `reg8[30..31] == 1 && reg0[7] == 1 && (1)`, `log(name="a", verdict=drop); reg8[17] = 1; ct_commit { ct_mark.blocked = 1; }; next;`)
	f.Add("ls_out_acl_action", `reg8[18] == 1`, `reg0 = 0; reject { /* a; b */ outport <-> inport; next(pipeline=egress,table=9); };`)
	f.Add("ls_in_acl_eval", `(`, `/* "`)
	f.Fuzz(func(t *testing.T, stage, match, actions string) {
		r, ok := ReadFlow(stage, match, actions)
		if !ok {
			return
		}
		if r.PurposeText(prioFixed) == "" || r.Tier > 3 {
			t.Errorf("%+v", r)
		}
		for _, a := range r.Acts {
			if a.Code == "" || a.Text == "" || a.Raw == "" {
				t.Errorf("%+v", a)
			}
		}
	})
}
