package trace

import (
	"strconv"

	"rung/model"
	"rung/model/ovn/flow"
	"rung/model/ovn/nb"
	"rung/model/verdict"
	"rung/model/words"
	"rung/revision"
	"rung/sources/nbdb"
)

// Command returns the rung command that asks the same, of policies and rows.
func (q Question) Command() string {
	return words.ShellJoin(append(q.commandWords("trace"), "--by", "both")...)
}

// commandWords returns the words of a rung command about the question.
func (q Question) commandWords(verb string) []string {
	w := []string{"rung", verb, "--from", q.From, "--to", q.To}
	if p, err := ParseProtocol(q.Protocol); err == nil && p != verdict.TCP {
		w = append(w, "--protocol", string(p))
	}
	if q.Port != 0 {
		w = append(w, "--port", strconv.Itoa(q.Port))
	}
	if q.Network != "" {
		w = append(w, "--network", q.Network)
	}
	if q.IPVersion != 0 {
		w = append(w, "--ip-version", strconv.Itoa(q.IPVersion))
	}
	return w
}

// OvnkubeTrace returns the ovnkube-trace command that asks the same. It supports only connections from pods
// over TCP or UDP; for others why says what it lacks.
func OvnkubeTrace(c verdict.Connection) (command, why string) {
	flag := map[verdict.Protocol]string{verdict.TCP: "-tcp", verdict.UDP: "-udp"}[c.Protocol]
	switch {
	case c.From.Key.Kind != model.KindPod:
		return "", "ovnkube-trace starts only from pods"
	case flag == "":
		return "", "ovnkube-trace supports only TCP and UDP"
	}
	w := []string{"ovnkube-trace", "-src-namespace", c.From.Key.Namespace, "-src", c.From.Key.Name}
	switch k := c.To.Key; k.Kind {
	case model.KindPod:
		w = append(w, "-dst-namespace", k.Namespace, "-dst", k.Name)
	case model.KindService:
		w = append(w, "-dst-namespace", k.Namespace, "-service", k.Name)
	case "":
		w = append(w, "-dst-ip", c.To.Addr.String())
	default:
		return "", "ovnkube-trace supports only pods, Services and addresses"
	}
	return words.ShellJoin(append(w, flag, "-dst-port", strconv.Itoa(int(c.Port)))...), ""
}

// ZoneCommand is a command to run in a zone.
type ZoneCommand struct{ Zone, Line string }

// OVNTrace returns the ovn-trace commands that ask the same, to run beside the Southbound database of each
// zone. The error says why there are none: unread rows, or no port. For a Service the commands ask about the
// first endpoint.
func (t *Trace) OVNTrace(r *revision.Revision) (out []ZoneCommand, err error) {
	if len(t.Answer.Paths) == 0 || len(t.Answer.Paths[0].Stages) == 0 {
		return nil, flow.ErrNotTraced
	}
	asks, err := flow.PlanQuestions(r.Cluster, &t.Answer.Paths[0], t.Connection.Protocol, func(zone string) *nb.DB {
		if z := r.Zone(zone); z != nil {
			return z.DB
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for i := range asks {
		args, err := asks[i].CommandLine("unix:" + nbdb.DefaultSouthboundSocket)
		if err != nil {
			return nil, err
		}
		out = append(out, ZoneCommand{asks[i].Zone, words.ShellJoin(args...)})
	}
	return out, nil
}
