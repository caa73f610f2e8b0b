//go:build unix

package engine

import (
	"context"
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"rung/model"
	"rung/model/ovn/flow"
	"rung/model/ovn/match"
	"rung/model/ovn/nb"
	"rung/model/verdict"
	"rung/sources/nbdb"
	"rung/sources/sandbox"
)

// flowsAgree holds the flows of a zone against its rows, once the node has followed.
func (f *ovnRun) flowsAgree(zone string) {
	f.t.Helper()
	f.onOVN(zone, func(ctx context.Context, z *sandbox.Zone) error {
		if _, err := z.WaitSynced(ctx); err != nil {
			return err
		}
		rows, err := nbdb.Dial(nbdb.Config{Addr: z.NB(), AnyName: true}).Read(ctx)
		if err != nil {
			return err
		}
		flows, err := nbdb.DialSouthbound(nbdb.Config{Addr: z.SB()}).Read(ctx)
		if err != nil {
			return err
		}
		j := flow.JoinFlows(rows, flows)
		for _, a := range j.ACLs {
			if s := a.State(); s != flow.StateMade && s != flow.StateNoPort {
				f.t.Errorf("zone %s: ACL %s: %s: missing on %v, %s", zone, a.ID(), s, a.Missing, j.WhyMissing(a))
			}
			f.counts["ACLs with their flows"]++
		}
		if len(j.ACLs) == 0 || len(j.Surplus) > 0 || j.UnknownActions > 0 || j.Progress.NorthdBehind() || j.Progress.NodesBehind() {
			f.t.Errorf("zone %s: %s", zone, j.SummaryText())
		}
		return nil
	})
}

// packetsAgree puts a connection's first packet in for every pair of pods, and asks the
// rows the same.
func (f *ovnRun) packetsAgree() {
	f.t.Helper()
	type pod struct{ zone, lport, ip string }
	var pods []pod
	for i, zone := range faultZones {
		for n, tenant := range faultTenants {
			pods = append(pods, pod{zone, nb.PortName(tenant, zone), fmt.Sprintf("10.244.%d.%d", i+1, 10+n)})
		}
	}
	zones := map[string]*verdict.Zone{}
	for _, zone := range faultZones {
		f.onOVN(zone, func(ctx context.Context, z *sandbox.Zone) error {
			rows, err := nbdb.Dial(nbdb.Config{Addr: z.NB(), AnyName: true}).Read(ctx)
			if err != nil {
				return err
			}
			zones[zone] = verdict.NewZone(zone, rows, &verdict.MatchCache{}, nil)
			_, err = z.Control(ctx, sandbox.VSwitchd, "dpctl/flush-conntrack")
			return err
		})
	}
	port := uint16(40000)
	for _, from := range pods {
		for _, to := range pods {
			if from == to {
				continue
			}
			for _, way := range []struct {
				proto sandbox.PacketProto
				name  match.Proto
				port  uint16
			}{{sandbox.TCP, match.TCP, 80}, {sandbox.TCP, match.TCP, 443}, {sandbox.UDP, match.UDP, 53}} {
				port++
				p := sandbox.Packet{Src: netip.MustParseAddr(from.ip), Dst: netip.MustParseAddr(to.ip), Proto: way.proto, SrcPort: port, DstPort: way.port}
				m := match.Packet{Src: p.Src, Dst: p.Dst, Proto: way.name, SrcPort: port, DstPort: way.port}
				if from.zone == to.zone {
					f.crosses(zones[from.zone], p, m, from.lport, from.lport, to.lport, to.lport)
				} else if f.crosses(zones[from.zone], p, m, from.lport, from.lport, nb.RouterPort(from.zone), "elsewhere-"+from.zone) {
					f.crosses(zones[to.zone], p, m, "elsewhere-"+to.zone, nb.RouterPort(to.zone), to.lport, to.lport)
				}
			}
		}
	}
	if f.counts["packets delivered"] == 0 || f.counts["packets dropped"] == 0 {
		f.t.Logf("the policies at the end deliver or drop everything: %v", f.counts)
	}
}

// crosses puts a packet in at a zone and says whether it came out where it was to,
// having asked the rows whether it would: from one port of the node's switch to another.
func (f *ovnRun) crosses(rows *verdict.Zone, p sandbox.Packet, m match.Packet, in, from, to, out string) bool {
	f.t.Helper()
	passes, tied := true, false
	var met []string
	for _, stage := range model.PipelineStages() {
		m.InPort, m.OutPort = from, ""
		if stage == model.StageToLport {
			m.OutPort = to
		}
		deciders, unjudged := rows.WalkStage(stage, from, m)
		if unjudged > 0 {
			f.t.Errorf("%d rows could not be judged", unjudged)
		}
		for _, acl := range deciders {
			met = append(met, acl.ID()+" "+acl.Action)
			passes = acl.Action != nb.ActionDrop && acl.Action != nb.ActionReject
			tied = tied || slices.ContainsFunc(rows.TiedRows(stage, from, m, acl), func(o *nb.ACL) bool { return o.Action != acl.Action })
		}
		if !passes {
			break
		}
	}
	p.EntryPort = in
	came := false
	f.onOVN(rows.Name, func(ctx context.Context, z *sandbox.Zone) error {
		got, err := z.Send(ctx, []sandbox.Packet{p})
		if err != nil {
			return err
		}
		came = got[0].Delivered(out)
		if came != passes && !tied {
			_, trace, err := z.Trace(ctx, p, sandbox.StateFirst)
			f.t.Errorf("zone %s: %+v came out at %v; the rows have it meet %s\n%s%v", rows.Name, p, got[0].Ports, strings.Join(met, ", "), trace, err)
		}
		return nil
	})
	if came {
		f.counts["packets delivered"]++
	} else {
		f.counts["packets dropped"]++
	}
	return came
}
