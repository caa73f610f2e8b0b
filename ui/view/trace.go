package view

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/sahilm/fuzzy"

	"rung/engine/trace"
	"rung/model"
	"rung/model/verdict"
	"rung/revision"
	"rung/ui/nav"
	"rung/ui/widget"
)

// PrefilledTrace returns a question prefilled from pages: the connection of a trace or probe page, else the
// first pod, rule or policy; on the network of a page.
func PrefilledTrace(r *revision.Revision, pages ...nav.Page) trace.Question {
	q := prefilledQuestion(r, pages)
	for _, p := range pages {
		q.Network = cmp.Or(q.Network, p.Network)
	}
	return q
}

func prefilledQuestion(r *revision.Revision, pages []nav.Page) trace.Question {
	for _, p := range pages {
		if q, ok := pageConnection(p); ok {
			return q
		}
	}
	for _, p := range pages {
		switch {
		case p.Key.Kind == model.KindPod:
			return trace.QuestionOfPod(p.Key)
		case p.Key.Kind.IsPolicy() && p.Dir != "":
			return trace.QuestionOfRule(r, p.Key, p.Dir, p.Rule)
		case p.Key.Kind.IsPolicy() && p.Key.Name != "":
			return trace.QuestionOfPolicy(r, p.Key)
		}
	}
	return trace.Question{}
}

// pageConnection returns the question of a trace or probe page.
func pageConnection(p nav.Page) (q trace.Question, ok bool) {
	if p.Kind != nav.Trace && p.Kind != nav.Probe {
		return q, false
	}
	q, err := trace.ParseQuestion(p.ID)
	return q, err == nil && q != trace.Question{}
}

// AskTrace asks for the ends, protocol and port of a connection and opens its trace. Parts given in q can be
// changed.
func AskTrace(env *Env, q trace.Question) {
	askConnection(env, q, &traceDialog{title: "trace a connection", enters: "enter traces", answerPage: nav.ToTrace})
}

// AskOVNTrace asks as AskTrace does, and opens a trace that begins with ovn-trace.
func AskOVNTrace(env *Env, q trace.Question) {
	askConnection(env, q, &traceDialog{title: "ask OVN about a connection", enters: "enter asks", answerPage: nav.ToOVNTrace})
}

// AskProbe asks as AskTrace does, and sends the connection into the sandbox.
func AskProbe(env *Env, q trace.Question) {
	askConnection(env, q, &traceDialog{title: "probe a connection", enters: "enter sends it", answerPage: nav.ToProbe})
}

func askConnection(env *Env, q trace.Question, d *traceDialog) {
	d.ends, d.unread = trace.EndChoices(env.Rev), env.Rev.Unread(model.KindPod, model.KindNode, model.KindService)
	if p, err := trace.ParseProtocol(q.Protocol); err == nil {
		d.protocol = max(0, slices.Index(protocols, p))
	}
	d.input[fromField].PrefillText(q.From)
	d.input[toField].PrefillText(q.To)
	if q.Port != 0 {
		d.input[portField].PrefillText(strconv.Itoa(q.Port))
	}
	d.version, d.network = q.IPVersion, q.Network
	d.nextUnfilled(fromField)
	d.findEnds()
	env.AskDialog(d)
}

// protocols in the order offered.
var protocols = []verdict.Protocol{verdict.TCP, verdict.UDP, verdict.SCTP, verdict.ICMP}

var protocolNames = model.MapList(protocols, func(p verdict.Protocol) string { return string(p) })

// Fields, in their order. The protocol is last, since it is usually TCP.
const (
	fromField = iota
	toField
	portField
	protocolField
	fields
)

var fieldNames = [fields]string{"From", "To", "Port", "Protocol"}

// mostEnds bounds the ends offered at a time.
const mostEnds = 6

// traceDialog asks for a connection.
type traceDialog struct {
	title, enters string
	answerPage    func(question string) nav.Page // page of the answer

	ends     []trace.EndChoice
	unread   *revision.Unread         // unread kinds among the ends, nil if all were read
	input    [fields]widget.TextInput // the protocol's is not used
	protocol int
	version  int    // IP version of the given question, if any
	network  string // network of the given question, if any
	field    int

	hits    []int    // indexes into ends, for the field
	ports   []string // ports of the destination, for the field of the port
	similar string   // "; did you mean: NAME" if nothing is found
	pick    int      // index into hits or ports
	moved   bool     // the user moved the cursor there
	problem string
	typing  int // line of the field in the last drawing
}

// askedQuestion returns the question in the fields.
func (d *traceDialog) askedQuestion() trace.Question {
	q := trace.Question{From: d.fieldValue(fromField), To: d.fieldValue(toField), Protocol: string(protocols[d.protocol]),
		IPVersion: d.version, Network: d.network}
	if q.Protocol != string(verdict.ICMP) {
		q.Port, _ = strconv.Atoi(d.fieldValue(portField)) // isFilled has checked it
	}
	return q
}

func (d *traceDialog) fieldValue(field int) string {
	return strings.TrimSpace(d.input[field].InputText())
}

// isFilled reports whether a field holds a valid value.
func (d *traceDialog) isFilled(field int) bool {
	switch field {
	case fromField, toField:
		_, err := trace.ParseEnd(d.fieldValue(field))
		return err == nil
	case portField:
		n, err := strconv.Atoi(d.fieldValue(portField))
		return protocols[d.protocol] == verdict.ICMP || err == nil && n > 0 && n < 65536
	}
	return true
}

// nextUnfilled goes to the first unfilled field, from the field from on and wrapping around. If all are
// filled, it stays and returns false.
func (d *traceDialog) nextUnfilled(from int) bool {
	for i := range fields {
		if f := (from + i) % fields; !d.isFilled(f) {
			d.field = f
			return true
		}
	}
	return false
}

// PressKey edits the fields.
func (d *traceDialog) PressKey(env *Env, key, text string) bool {
	switch key {
	case "esc":
		return true
	case "enter":
		return d.enterField(env)
	case "tab", "shift+tab":
		if key == "tab" {
			d.takeChosen()
		}
		d.takeProtocol()
		d.stepField(map[string]int{"tab": 1, "shift+tab": -1}[key])
	case "down", "ctrl+n":
		d.moveBy(1)
	case "up", "ctrl+p":
		d.moveBy(-1)
	default:
		d.problem = ""
		d.editField(env, key, text)
	}
	return false
}

// marksOffer reports whether one of the offered ends or ports is marked.
func (d *traceDialog) marksOffer() bool {
	return d.moved || d.field <= toField && d.fieldValue(d.field) != ""
}

// moveBy moves along the offered ends or ports.
func (d *traceDialog) moveBy(by int) {
	if d.marksOffer() || by < 0 {
		d.pick = max(0, min(d.pick+by, len(d.hits)+len(d.ports)-1))
	}
	d.moved = len(d.hits)+len(d.ports) > 0
}

// stepField goes to another field.
func (d *traceDialog) stepField(by int) {
	d.field, d.problem = (d.field+by+fields)%fields, ""
	d.input[d.field].PrefillText(d.fieldValue(d.field)) // typing replaces it
	d.findEnds()
}

// editField edits the current field.
func (d *traceDialog) editField(env *Env, key, text string) {
	if d.field == protocolField && text != "" && strings.Trim(text, "0123456789") == "" {
		d.stepField(portField - protocolField) // a port
	}
	switch d.field {
	case protocolField:
		for i, p := range protocols {
			if strings.EqualFold(text, string(p[:1])) {
				d.protocol = i
			}
		}
		switch key {
		case "left":
			d.protocol = max(d.protocol-1, 0)
		case "right", "space":
			d.protocol = min(d.protocol+1, len(protocols)-1)
		}
		return
	case portField:
		_, _, behind := strings.Cut(d.fieldValue(portField)+text, "/")
		if !behind && strings.Trim(text, "0123456789") != "" || d.fieldValue(portField) == "" && text == "/" {
			d.problem = wantPort
			return
		}
	}
	was := d.input[d.field].InputText()
	d.input[d.field].PressKey(env.Keys, key, text)
	if d.input[d.field].InputText() != was {
		d.findEnds()
	}
}

// enterField takes the selected end, and opens the answer if nothing is missing.
func (d *traceDialog) enterField(env *Env) bool {
	d.takeChosen()
	d.takeProtocol()
	if !d.isFilled(d.field) {
		d.problem = d.fieldProblem()
		return false
	}
	// A typed field leads to the next one even if that has a text already, which could be another's.
	next := d.field == fromField && !d.input[fromField].IsPrefilled() && d.input[toField].IsPrefilled()
	if next {
		d.field = toField
	}
	if next || d.nextUnfilled(d.field) {
		d.problem = ""
		d.findEnds()
		return false
	}
	q := d.askedQuestion()
	d.problem = q.Check()
	if d.problem != "" {
		return false
	}
	env.OpenPage(d.answerPage(q.String()))
	return true
}

// fieldProblem returns the error of the field.
func (d *traceDialog) fieldProblem() string {
	switch {
	case d.field == portField:
		return wantPort
	case d.fieldValue(d.field) == "":
		return "type a few letters of a name, or choose one with up and down"
	}
	return "want " + trace.Ends
}

// wantPort says what the port field accepts.
const wantPort = "must be a port (1–65535), or with its protocol: 53/udp"

// takeProtocol reads a protocol typed after the port: "53/udp" means UDP 53.
func (d *traceDialog) takeProtocol() {
	var q trace.Question
	if d.field != portField || q.ReadService(d.fieldValue(portField)) != nil || q.Protocol == "" || q.Port == 0 {
		return
	}
	d.protocol = slices.Index(protocols, verdict.Protocol(q.Protocol))
	d.input[portField].Set(strconv.Itoa(q.Port))
}

// takeChosen completes an end to the chosen one, else to the first hit of the typed text. A complete name or
// address stays.
func (d *traceDialog) takeChosen() {
	typed := d.fieldValue(d.field)
	if d.field == portField && d.moved {
		port, _, _ := strings.Cut(d.ports[d.pick], " ")
		d.input[portField].Set(port)
	}
	if d.field > toField || d.pick >= len(d.hits) || !d.moved && (typed == "" || d.input[d.field].IsPrefilled() || d.isWholeEnd(typed)) {
		return
	}
	d.input[d.field].Set(d.ends[d.hits[d.pick]].Text)
	d.findEnds()
}

// isWholeEnd reports whether a text is a complete end.
func (d *traceDialog) isWholeEnd(typed string) bool {
	end, err := trace.ParseEnd(typed)
	return err == nil && end.Addr.IsValid() || slices.ContainsFunc(d.ends, func(c trace.EndChoice) bool { return c.Text == typed })
}

// findEnds finds the ends to offer: those with every typed word, then those with its letters; for the port the
// ports of the destination.
func (d *traceDialog) findEnds() {
	d.pick, d.moved, d.hits, d.ports, d.similar = 0, false, nil, nil, ""
	if d.field == portField && protocols[d.protocol] != verdict.ICMP {
		for i := range d.ends {
			if d.ends[i].Text == d.fieldValue(toField) {
				d.ports = slices.DeleteFunc(slices.Clone(d.ends[i].Ports), func(port string) bool {
					return !d.input[portField].IsPrefilled() && !strings.HasPrefix(port, d.fieldValue(portField))
				})
			}
		}
	}
	if d.field > toField {
		return
	}
	typed := strings.ToLower(d.fieldValue(d.field))
	if d.input[d.field].IsPrefilled() {
		typed = ""
	}
	d.hits = trace.FindChoices(d.ends, typed, d.field == toField)
	if typed == "" || len(d.hits) >= mostEnds {
		return
	}
	for _, m := range fuzzy.FindFrom(typed, endChoices(d.ends)) {
		if !slices.Contains(d.hits, m.Index) && (d.field == toField || !d.ends[m.Index].IsService()) {
			d.hits = append(d.hits, m.Index)
		}
	}
	if len(d.hits) == 0 {
		d.similar = trace.SimilarChoice(d.ends, typed, d.field == toField)
	}
}

// endChoices is a source of ends for fuzzy matching.
type endChoices []trace.EndChoice

// String returns the text of an end.
func (c endChoices) String(i int) string { return c[i].Text }

// Len returns the number of ends.
func (c endChoices) Len() int { return len(c) }
