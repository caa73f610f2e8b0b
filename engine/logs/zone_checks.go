package logs

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"rung/model"
	"rung/model/logline"
	"rung/model/ovn/nb"
	"rung/model/words"
	"rung/revision"
)

// checkRows tells whether the policy's rows in the zones log.
func (c *checkList) checkRows(p *model.Policy) {
	k, was := p.Key, len(c.out)
	if none := c.rev.WhyNoRows(k); none != nil {
		c.add("rows", Wrong, "%s has no rows to log with: %s.", k.Label(), revision.NoRowsShort(c.rev, none))
		return
	}
	if len(c.rev.Subjects(k)) == 0 {
		c.add("rows", Wrong, "It applies to no pod.")
	}
	logs, read := 0, 0
	for _, z := range c.rev.Zones {
		if z.DB == nil {
			continue
		}
		read++
		in := z.PolicyJoin(k)
		if in == nil {
			continue
		}
		off := 0
		for i := range in.Diffs {
			d := &in.Diffs[i]
			if d.Table == nb.TableACL && slices.ContainsFunc(d.Fields, func(f model.FieldDiff) bool {
				return f.Column == "log" && f.Live == "false"
			}) {
				off++
			}
		}
		if off > 0 {
			c.add("rows", Wrong, "In zone %s %s should log but %s log=false.", z.Name, words.Count(uint64(off), "row"),
				words.OneOrMany(off, "has", "have")).
				Remedy = "rung drift " + words.ShellQuote(k.Name) + " shows them; the zone's ovnkube-controller writes them"
		} else if in.LiveACLs > 0 {
			logs++
		}
	}
	for _, s := range revision.ZonesShowing(c.rev, []model.PolicyKey{k}, nil) {
		if !s.OK {
			c.add("rows", Wrong, "Its rows in zone %s differ from the desired ones: %s.", s.Zone, s.Why)
		}
	}
	switch {
	case len(c.out) > was:
	case read == 0:
		c.add("rows", Unknown, "No zone was read, so it is unknown whether rows have log=true.")
	default:
		c.add("rows", Fine, "%s of %s %s its rows, with the desired logging.", words.Thousands(logs), words.Count(read, "zone"),
			words.OneOrMany(read, "has", "have"))
	}
}

// checkMeter tells what the meters allow, which zones differ or have no limit, and which ACLs are at the limit.
func (c *checkList) checkMeter() {
	rates := MeterRates(c.rev)
	was := len(c.out)
	for _, x := range c.l.Losses() {
		if !x.IsLosing() || c.subject.Policy.Kind.IsPolicy() && x.Rule.Policy != c.subject.Policy {
			continue
		}
		c.add("meter", Wrong, "%s in zone %s is %s.", x.ACLText(), x.Zone, x).
			Remedy = "log fewer actions, or raise logging's rate limit (ovnkube-controller's --acl-logging-rate-limit)"
		if len(c.out) == was+3 {
			break
		}
	}
	var none, other []string
	for _, z := range c.rev.Zones {
		if z.DB == nil {
			continue
		}
		rate, _, ok := revision.LogMeter(c.rev, z.Name)
		switch {
		case !ok:
			none = append(none, z.Name)
		case rate != DefaultMeterRate:
			other = append(other, fmt.Sprintf("%s (%s)", z.Name, words.Thousands(rate)))
		}
	}
	if len(none) > 0 {
		c.add("meter", Unknown, "%s: no meter %s, so rows log without a limit; ovnkube-controller creates it "+
			"when it starts.", words.ListFew(none, 3), nb.LoggingMeter)
	}
	if len(other) > 0 {
		c.add("meter", Unknown, "The meter limits to another rate, in lines/s: %s.", words.ListFew(other, 3))
	}
	if len(c.out) == was || len(other) > 0 {
		c.add("meter", Fine, "The meter limits each ACL to %s lines/s per node; the rest is silently discarded.", rates)
	}
}

// MeterRates returns how many lines a second the zones' meters let through: "20", or "20 to 50" if zones
// differ.
func MeterRates(r *revision.Revision) string {
	least, most := 0, 0
	for _, z := range r.Zones {
		if rate, _, ok := revision.LogMeter(r, z.Name); ok {
			if least == 0 || rate < least {
				least = rate
			}
			most = max(most, rate)
		}
	}
	switch {
	case most == 0:
		return strconv.Itoa(DefaultMeterRate)
	case least == most:
		return strconv.Itoa(most)
	}
	return fmt.Sprintf("%d to %d", least, most)
}

// streamReason is a reason why the logs of some nodes do not come.
type streamReason struct {
	state logline.StreamState
	text  string
	zones []string
	since string
}

// checkStreams tells whether the nodes' logs are found, contain ACL lines, and arrive.
func (c *checkList) checkStreams(streams []logline.Stream) {
	if len(streams) == 0 {
		c.add("stream", Wrong, "The nodes' logs are not followed yet: no node is known, or the cluster has not been read.")
		return
	}
	var reasons []*streamReason
	var quiet, console, lost []string
	up, found := 0, 0
	for i := range streams {
		s := &streams[i]
		if s.Container != "" {
			found++
		}
		if s.IsUp() {
			up++
			if s.Container == "ovn-controller" && strings.HasPrefix(s.Namespace, "openshift-") {
				console = append(console, s.Zone)
			}
			if s.ACLs == 0 {
				quiet = append(quiet, s.Zone)
			}
			if s.Unseen > 0 {
				lost = append(lost, s.Zone+" ("+words.Thousands(s.Unseen)+")")
			}
			continue
		}
		// Errors name the node or its pod: one error represents many nodes.
		at := slices.IndexFunc(reasons, func(r *streamReason) bool { return r.state == s.State })
		if at < 0 {
			at = len(reasons)
			reasons = append(reasons, &streamReason{state: s.State, text: s.Error, since: s.Since.Format("15:04:05")})
		}
		reasons[at].zones = append(reasons[at].zones, s.Zone)
	}
	if found == len(streams) {
		c.add("container", Fine, "The container with the ACL log was found on %s.",
			words.OneOrMany(found, "its node", "all "+words.Count(found, "node")))
	} else if found > 0 {
		c.add("container", Unknown, "The container with the ACL log was found on %s of %s.", words.Thousands(found),
			words.Count(len(streams), "node"))
	}
	if len(console) > 0 {
		c.add("console", Wrong, "%s: no container ovn-acl-logging, and OpenShift's ovn-controller prints no ACL lines: "+
			"look for them in /var/log/ovn/acl-audit-log.log on the node.", words.ListFew(console, 3)).
			Remedy = "oc adm node-logs NODE --path=ovn/acl-audit-log.log"
	} else if found > 0 {
		c.add("console", Fine, "The containers print ACL lines.")
	}
	for _, r := range reasons {
		text := fmt.Sprintf("The log of %s cannot be followed: %s since %s", words.ListFew(r.zones, 3), r.state, r.since)
		if r.text != "" {
			text += ": " + r.text
		}
		c.add("stream", Wrong, "%s.", text)
	}
	if len(reasons) == 0 {
		c.add("stream", Fine, "%s of %s followed.", words.Thousands(up), words.Count(len(streams), "node"))
	}
	if len(lost) > 0 {
		c.add("stream", Unknown, "Numbers are missing in ovn-controller's lines of %s: lines were lost on the way here, or went to another of "+
			"its outputs. The meter leaves no such gap.", words.ListFew(lost, 3))
	}
	if n := len(quiet); n > 0 {
		c.add("stream", Unknown, "%s followed without an ACL line so far: %s. A connection is logged on the node of the pod the policy "+
			"applies to.", words.Count(uint64(n), "node"), words.ListFew(quiet, 3))
	}
}
