package logs

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"rung/engine/logs"
	"rung/engine/revision"
	"rung/model"
	"rung/model/nb"
	"rung/model/words"
	"rung/ui/view"
	"rung/ui/widget"
)

// streamLine says of how many nodes the logs are followed, and what keeps the
// others away; nil where lines do not come from a cluster.
func (v *logPage) streamLine(env *view.Env) widget.Line {
	st := env.Styles
	switch {
	case env.Rev.Mode.Name != revision.ClusterMode:
		return nil
	case len(v.streams) == 0:
		return widget.Styled(" ○ no node's log is followed yet", st.Info)
	}
	by := map[model.StreamState][]string{}
	var order []model.StreamState
	for i := range v.streams {
		s := &v.streams[i]
		if by[s.State] == nil {
			order = append(order, s.State)
		}
		by[s.State] = append(by[s.State], s.Zone)
	}
	text := fmt.Sprintf("%d of %s followed", len(by[model.StreamOpen]), words.Total(uint64(len(v.streams)), "node"))
	if len(order) == 1 && order[0] == model.StreamOpen {
		return widget.Styled(" ● ", st.OK).Add(text, st.Dim)
	}
	l := widget.Styled(" ▲ "+text, st.Warn)
	slices.Sort(order)
	for _, s := range order {
		if s != model.StreamOpen {
			l = l.Add(" · "+string(s)+": "+words.Few(by[s], 2), st.Warn)
		}
	}
	return l
}

// missing counts the gaps, and the lines that were too long.
func (v *logPage) missing() (gaps, long uint64) {
	for i := range v.streams {
		gaps += v.streams[i].Gaps
		long += v.streams[i].TooLong
	}
	return gaps, long
}

// gapLine is a place where lines may be missing.
func (v *logPage) gapLine(env *view.Env, e *logs.Entry) widget.Line {
	at := ""
	if v.stamp != none {
		at = e.Line.At.In(env.Now.Location()).Format("15:04:05") + " "
	}
	return widget.Styled("── "+at+e.Sentence()+" ──", env.Styles.Warn)
}

// reason is what keeps some nodes' logs away.
type reason struct {
	state model.StreamState
	text  string
	zones []string
	since string
}

// whyStreams are the streams that do not stand, those with the same reason
// together.
func (v *logPage) whyStreams() (out []string) {
	if len(v.streams) == 0 {
		return []string{"The nodes' logs are not followed yet: no node is known, or the cluster has not been read."}
	}
	var reasons []*reason
	var quiet, console []string
	for i := range v.streams {
		s := &v.streams[i]
		if s.Up() {
			if s.Container == "ovn-controller" && strings.HasPrefix(s.Namespace, "openshift-") {
				console = append(console, s.Zone)
			}
			if s.ACLs == 0 {
				quiet = append(quiet, s.Zone)
			}
			continue
		}
		// Errors name the node or its pod: those of many nodes are told by one.
		at := slices.IndexFunc(reasons, func(r *reason) bool { return r.state == s.State })
		if at < 0 {
			at = len(reasons)
			reasons = append(reasons, &reason{state: s.State, text: s.Error, since: s.Since.Format("15:04:05")})
		}
		reasons[at].zones = append(reasons[at].zones, s.Zone)
	}
	for _, r := range reasons {
		text := fmt.Sprintf("The log of %s cannot be followed: %s since %s", words.Few(r.zones, 3), r.state, r.since)
		if r.text != "" {
			text += ": " + r.text
		}
		out = append(out, text+".")
	}
	if len(console) > 0 {
		out = append(out, fmt.Sprintf("On %s there is no container ovn-acl-logging, and OpenShift's ovn-controller keeps ACL lines off its console: they are in /var/log/ovn/acl-audit-log.log on the node (oc adm node-logs NODE --path=ovn/acl-audit-log.log).",
			words.Few(console, 3)))
	}
	if n := len(quiet); n > 0 {
		out = append(out, fmt.Sprintf("%s followed without an ACL line so far: %s. A connection is logged on the node of the pod the policy applies to.", words.Total(uint64(n), "node"), words.Few(quiet, 3)))
	}
	return out
}

// whyMeters are the zones whose meter lets through another rate than usual, or
// that have none.
func whyMeters(r *revision.Revision) (out []string) {
	var none, other []string
	for _, z := range r.Zones {
		if z.DB == nil {
			continue
		}
		rate, ok := r.MeterRate(z.Name)
		switch {
		case !ok:
			none = append(none, z.Name)
		case rate != usualRate:
			other = append(other, fmt.Sprintf("%s (%d)", z.Name, rate))
		}
	}
	if len(none) > 0 {
		out = append(out, fmt.Sprintf("%s: there is no meter %s, so rows that name it log without a limit; ovnkube-controller creates it when it starts.", words.Few(none, 3), nb.LoggingMeter))
	}
	if len(other) > 0 {
		out = append(out, "The meter limits to another rate, in lines/s: "+words.Few(other, 3)+".")
	}
	return out
}

// meterRates is how many lines a second the meters of the zones let through: "20", or
// "20 to 50" where they differ.
func meterRates(r *revision.Revision) string {
	least, most := 0, 0
	for _, z := range r.Zones {
		if rate, ok := r.MeterRate(z.Name); ok {
			if least == 0 || rate < least {
				least = rate
			}
			most = max(most, rate)
		}
	}
	switch {
	case most == 0:
		return strconv.Itoa(usualRate)
	case least == most:
		return strconv.Itoa(most)
	}
	return fmt.Sprintf("%d to %d", least, most)
}

// usualRate is OVN-Kubernetes' default (ovn-kubernetes.md#meter).
const usualRate = 20

// whyRows are the zones where rows of a policy that logs do not.
func whyRows(r *revision.Revision, k model.PolicyKey) (out []string) {
	for _, z := range r.Zones {
		p := z.Policy(k)
		if p == nil {
			continue
		}
		off := 0
		for i := range p.Diffs {
			d := &p.Diffs[i]
			if d.Table == nb.TableACL && slices.ContainsFunc(d.Fields, func(f model.FieldDiff) bool { return f.Column == "log" && f.Live == "false" }) {
				off++
			}
		}
		if off > 0 {
			out = append(out, fmt.Sprintf("In zone %s %s should log but %s log=false.", z.Name, words.Total(uint64(off), "row"), words.Form(off, "has", "have")))
		}
	}
	return out
}
