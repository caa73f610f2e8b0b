package trace

import (
	"cmp"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"rung/model"
	"rung/model/verdict"
	"rung/model/words"
)

// Question is a connection as people write it, on the command line, in a file of cases or in the console. An
// empty field, or 0, is not set yet.
type Question struct {
	From     string `json:"from"`
	To       string `json:"to"`
	Protocol string `json:"protocol"`
	Port     int    `json:"port"`
	// IPVersion is 4 or 6 to ask only that family.
	IPVersion int `json:"ip_version,omitempty"`
	// Network is the network to judge it on; empty for the network of both ends.
	Network string `json:"network,omitempty"`
	// Namespace is the namespace of ends that name none.
	Namespace string `json:"-"`
}

// Ends explains how to write an end.
const Ends = "a pod (NAMESPACE/NAME), a workload (NAMESPACE/deployment/NAME), an address, node/NAME or service/NAMESPACE/NAME"

// endKind returns the kind that a word before a name means, with kubectl's short forms: "service" for "svc",
// "deployment" for "deploy"; empty if the word is no kind.
func endKind(word string) string {
	switch strings.ToLower(word) {
	case "pod", "pods", "po":
		return "pod"
	case "service", "services", "svc":
		return "service"
	case "node", "nodes":
		return "node"
	}
	return model.WorkloadWord(word)
}

// ParseEnd parses an end of a connection.
func ParseEnd(text string) (verdict.Endpoint, error) {
	if a, err := netip.ParseAddr(text); err == nil {
		return verdict.AddrEnd(a), nil
	}
	switch parts := strings.Split(text, "/"); {
	case slices.Contains(parts, "") || len(parts) < 2 || len(parts) > 4:
	case len(parts) == 2 && endKind(parts[0]) == "node":
		return verdict.NodeEnd(parts[1]), nil
	case len(parts) == 2:
		return verdict.PodEnd(parts[0], parts[1]), nil
	case len(parts) == 3 && endKind(parts[0]) == "service":
		return verdict.ServiceEnd(parts[1], parts[2]), nil
	case model.WorkloadWord(parts[1]) != "":
		parts[1] = model.WorkloadWord(parts[1])
		return verdict.PodEnd(parts[0], strings.Join(parts[1:], "/")), nil
	case len(parts) == 3 && endKind(parts[0]) == "pod":
		return verdict.PodEnd(parts[1], parts[2]), nil
	case len(parts) == 3 && model.WorkloadWord(parts[0]) != "":
		return verdict.PodEnd(parts[1], model.WorkloadWord(parts[0])+"/"+parts[2]), nil
	}
	return verdict.Endpoint{}, fmt.Errorf("%q: want %s", text, Ends)
}

// EndText writes a pod, a node or a Service in ParseEnd's form.
func EndText(k model.Key) string {
	switch k.Kind {
	case model.KindNode:
		return "node/" + k.Name
	case model.KindService:
		return "service/" + k.Namespace + "/" + k.Name
	}
	return k.Namespace + "/" + k.Name
}

// ParseProtocol parses a protocol in either case; empty means TCP.
func ParseProtocol(text string) (verdict.Protocol, error) {
	switch p := protocolWord(text); p {
	case verdict.TCP, verdict.UDP, verdict.SCTP, verdict.ICMP:
		return p, nil
	}
	return "", fmt.Errorf("protocol %q: use TCP, UDP, SCTP or ICMP", text)
}

// protocolWord returns a protocol as typed, in upper case; empty means TCP.
func protocolWord(text string) verdict.Protocol {
	return verdict.Protocol(strings.ToUpper(cmp.Or(text, string(verdict.TCP))))
}

// EndError reports an end that is missing or cannot be parsed.
type EndError struct {
	Which string // "from" or "to"
	Err   error  // nil if missing
}

// Error names the end and explains how to write one.
func (e *EndError) Error() string {
	if e.Err == nil {
		return e.Which + " is missing: " + Ends
	}
	return e.Which + " " + e.Err.Error()
}

// Unwrap returns why the end cannot be parsed; nil if it is missing.
func (e *EndError) Unwrap() error { return e.Err }

// Connection converts the question; its ends need not exist.
func (q Question) Connection() (c verdict.Connection, err error) {
	for _, end := range []struct {
		which, text string
		into        *verdict.Endpoint
	}{{"from", q.From, &c.From}, {"to", q.To, &c.To}} {
		if end.text == "" {
			return c, &EndError{Which: end.which}
		}
		if *end.into, err = ParseEnd(end.text); err != nil {
			return c, &EndError{end.which, err}
		}
	}
	if q.Port < 0 || q.Port > 65535 {
		return c, fmt.Errorf("port %d: use 1 to 65535", q.Port)
	}
	if q.IPVersion != 0 && q.IPVersion != 4 && q.IPVersion != 6 {
		return c, fmt.Errorf("IP version %d: use 4 or 6", q.IPVersion)
	}
	c.Port, c.Family, c.Network = uint16(q.Port), verdict.Family(q.IPVersion), q.Network
	c.Protocol = protocolWord(q.Protocol)
	return c, nil
}

// missing replaces an unset word in String.
const missing = "-"

// String returns the question in four words, "blue/api-0 red/web-0 TCP 80", followed by IP version and network
// if set, in ParseQuestion's form.
func (q Question) String() string {
	port := words.Choose(q.Port != 0, strconv.Itoa(q.Port), missing)
	words := []string{cmp.Or(q.From, missing), cmp.Or(q.To, missing), string(protocolWord(q.Protocol)), port}
	if q.IPVersion != 0 {
		words = append(words, verdict.Family(q.IPVersion).String())
	}
	if q.Network != "" {
		words = append(words, onNetwork, q.Network)
	}
	return strings.Join(words, " ")
}

// Words before the name of a network, and before the namespace of ends without one.
const (
	onNetwork   = "on"
	inNamespace = "-n"
)

// betweenEnds removes words and arrows between the ends of a question.
var betweenEnds = strings.NewReplacer(" to ", " ", "→", " ", "->", " ")

// ParseQuestion parses two ends, followed by protocol, port and IP version in any order: "A B 80", "A to B udp
// 53", "A -> B 53/udp", "A → B icmp ipv6". A final "on NETWORK" sets the network, "-n NAMESPACE" the namespace of bare names.
func ParseQuestion(text string) (q Question, err error) {
	words := strings.Fields(betweenEnds.Replace(text))
	if i := slices.Index(words, inNamespace); i >= 0 && i+1 < len(words) {
		q.Namespace = words[i+1] // before Delete clears it
		words = slices.Delete(words, i, i+2)
	}
	if n := len(words); n > 3 && strings.EqualFold(words[n-2], onNetwork) {
		q.Network, words = words[n-1], words[:n-2]
	}
	for i, w := range words {
		switch {
		case i > 4:
			return q, fmt.Errorf("%q is one word too many: want from, to, protocol and port", w)
		case w == missing:
		case i == 0:
			q.From = w
		case i == 1:
			q.To = w
		case strings.EqualFold(w, "ipv4"):
			q.IPVersion = 4
		case strings.EqualFold(w, "ipv6"):
			q.IPVersion = 6
		case i == 4 && q.IPVersion == 0:
			return q, fmt.Errorf("%q is one word too many: want from, to, protocol and port", w)
		default:
			if err := q.ReadService(w); err != nil {
				return q, err
			}
		}
	}
	return q, nil
}

// ReadService parses a protocol, a port, or both: "udp", "53", "53/udp".
func (q *Question) ReadService(w string) error {
	port, proto, both := strings.Cut(w, "/")
	n, err := strconv.Atoi(port)
	switch {
	case err == nil && (n < 1 || n > 65535):
		return fmt.Errorf("port %d: use 1 to 65535", n)
	case err == nil:
		q.Port = n
		if !both {
			return nil
		}
	case both:
		return fmt.Errorf("%q: want a port and a protocol, as in 53/udp", w)
	default:
		proto = w
	}
	p, err := ParseProtocol(proto)
	if err != nil {
		return err
	}
	q.Protocol = string(p)
	return nil
}

// ParsePorts parses a port as ParseQuestion does: "80", "udp 53", "53/udp", "icmp"; empty and "any" mean every
// port.
func ParsePorts(text string) (verdict.Ports, error) {
	text = strings.TrimSpace(text)
	if text == "" || strings.EqualFold(text, "any") || strings.EqualFold(text, "any port") {
		return verdict.Ports{}, nil
	}
	q, err := ParseQuestion(missing + " " + missing + " " + text)
	if err != nil {
		return verdict.Ports{}, err
	}
	return NewPorts(q.Protocol, q.Port)
}

// NewPorts returns a port of a protocol; without both, every port.
func NewPorts(protocol string, port int) (verdict.Ports, error) {
	p, err := ParseProtocol(protocol)
	switch {
	case err != nil:
		return verdict.Ports{}, err
	case port < 0 || port > 65535:
		return verdict.Ports{}, fmt.Errorf("port %d: use 1 to 65535", port)
	case p == verdict.ICMP && port != 0:
		return verdict.Ports{}, errors.New("ICMP has no ports")
	case p == verdict.ICMP:
		return verdict.Ports{Protocol: p}, nil
	case protocol != "" && port == 0:
		return verdict.Ports{}, fmt.Errorf("%s needs a port from 1 to 65535", p)
	case port == 0:
		return verdict.Ports{}, nil
	}
	return verdict.Ports{Protocol: p, Port: uint16(port)}, nil
}

// PortsText formats ports: "TCP 80", "ICMP", "any port".
func PortsText(p verdict.Ports) string {
	switch {
	case p == (verdict.Ports{}):
		return "any port"
	case p.Port == 0:
		return string(p.Protocol)
	}
	return fmt.Sprintf("%s %d", p.Protocol, p.Port)
}

// NewQuestion converts a connection to a question.
func NewQuestion(c verdict.Connection) Question {
	end := func(e verdict.Endpoint) string {
		if e.Key.Name == "" {
			return e.Addr.String()
		}
		return EndText(e.Key)
	}
	q := Question{From: end(c.From), To: end(c.To), Protocol: string(c.Protocol), Port: int(c.Port), Network: c.Network}
	if c.Family == verdict.IPv6 && !c.From.Addr.IsValid() && !c.To.Addr.IsValid() {
		q.IPVersion = int(c.Family)
	}
	return q
}

// Check returns the question's first mistake; empty if none.
func (q Question) Check() string {
	c, err := q.Connection()
	if err == nil {
		err = c.CheckQuestion()
	}
	if err != nil {
		return strings.TrimPrefix(err.Error(), verdict.ErrQuestion.Error()+": ")
	}
	return ""
}
