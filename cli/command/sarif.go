package command

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
)

// sarifSchema is the schema named in the file (SARIF 2.1.0, errata 01).
const sarifSchema = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

// fingerprintName is the key of the fingerprint; change its number with the algorithm.
const fingerprintName = "rungResult/v1"

type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool        sarifTool         `json:"tool"`
		Automation  sarifID           `json:"automationDetails"`
		Invocations []sarifInvocation `json:"invocations"`
		Results     []sarifResult     `json:"results"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name    string      `json:"name"`
		Version string      `json:"version,omitempty"`
		Rules   []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID     string     `json:"id"`
		Short  sarifText  `json:"shortDescription"`
		Full   *sarifText `json:"fullDescription,omitempty"`
		Help   sarifText  `json:"help"`
		URI    string     `json:"helpUri,omitempty"`
		Config struct {
			Level Level `json:"level"`
		} `json:"defaultConfiguration"`
	}
	sarifText struct {
		Text string `json:"text"`
	}
	sarifID struct {
		ID string `json:"id"`
	}
	sarifInvocation struct {
		Successful    bool                `json:"executionSuccessful"`
		Notifications []sarifNotification `json:"toolExecutionNotifications"`
	}
	sarifNotification struct {
		Descriptor sarifID         `json:"descriptor"`
		Level      Level           `json:"level"`
		Message    sarifText       `json:"message"`
		Locations  []sarifLocation `json:"locations,omitempty"`
	}
	sarifResult struct {
		Rule         string            `json:"ruleId"`
		Index        int               `json:"ruleIndex"`
		Level        Level             `json:"level"`
		Message      sarifText         `json:"message"`
		Locations    []sarifLocation   `json:"locations"`
		Fingerprints map[string]string `json:"partialFingerprints"`
	}
	sarifLocation struct {
		Physical sarifPhysical  `json:"physicalLocation"`
		Logical  []sarifLogical `json:"logicalLocations,omitempty"`
	}
	sarifPhysical struct {
		Artifact struct {
			URI string `json:"uri"`
		} `json:"artifactLocation"`
		Region struct {
			Start int `json:"startLine"`
		} `json:"region"`
	}
	sarifLogical struct {
		Name string `json:"fullyQualifiedName"`
	}
)

// sarif returns the report in SARIF 2.1.0. Each command and input has its own id, so that GitHub keeps their
// results apart.
func (r *Report) sarif() (string, error) {
	run := sarifRun{Results: []sarifResult{}, Automation: sarifID{"rung/" + r.Command + "/"}}
	run.Tool.Driver = sarifDriver{Name: "Rung", Version: r.Version, Rules: []sarifRule{}}
	if in := r.uri(""); in != "." {
		run.Automation.ID += in + "/"
	}
	seen := fingerprinter{}
	for _, f := range r.notPassed() {
		run.Results = append(run.Results, sarifResult{
			Rule: f.Code, Index: run.Tool.Driver.ruleIndex(r.ruleOf(f)), Level: f.level(),
			Message:      sarifText{escapeLinks(withDetail(f.text(), f.Detail))},
			Locations:    []sarifLocation{r.location(f.File, f.Line, f.Object)},
			Fingerprints: map[string]string{fingerprintName: r.fingerprint(seen, f)},
		})
	}
	all := sarifInvocation{Successful: true, Notifications: []sarifNotification{}}
	for _, o := range r.NotConsidered {
		n := sarifNotification{Descriptor: sarifID{o.Code}, Level: o.Level, Message: sarifText{escapeLinks(o.Text)}}
		if o.File != "" {
			n.Locations = []sarifLocation{r.location(o.File, o.Line, "")}
		}
		all.Successful = all.Successful && o.Level != Error
		all.Notifications = append(all.Notifications, n)
	}
	run.Invocations = []sarifInvocation{all}
	return writeReportJSON(sarifLog{sarifSchema, "2.1.0", []sarifRun{run}})
}

// location returns a place in a file. It is line 1 if only the file is known, since GitHub shows no result
// without a line.
func (r *Report) location(file string, line int, object string) (l sarifLocation) {
	l.Physical.Artifact.URI, l.Physical.Region.Start = r.uri(file), max(line, 1)
	if object != "" {
		l.Logical = []sarifLogical{{object}}
	}
	return l
}

// ruleOf returns the rule of a result, made from its code if none explains it.
func (r *Report) ruleOf(f *Result) sarifRule {
	of := Rule{Code: f.Code}
	if i := slices.IndexFunc(r.Rules, func(o Rule) bool { return o.Code == f.Code }); i >= 0 {
		of = r.Rules[i]
	}
	out := sarifRule{ID: f.Code, Short: sarifText{cmp.Or(of.Title, strings.ReplaceAll(of.Code, "-", " "))}, URI: of.URL,
		Help: sarifText{cmp.Or(withDetail(of.Says, of.Help), of.Code)}}
	if of.Says != "" {
		out.Full = &sarifText{of.Says}
	}
	out.Config.Level = f.level()
	return out
}

// ruleIndex returns the index of a rule in the list, and adds it if missing.
func (d *sarifDriver) ruleIndex(rule sarifRule) int {
	i := slices.IndexFunc(d.Rules, func(o sarifRule) bool { return o.ID == rule.ID })
	if i < 0 {
		d.Rules = append(d.Rules, rule)
		return len(d.Rules) - 1
	}
	return i
}

// withDetail returns a text followed by its details.
func withDetail(text, detail string) string {
	if text == "" || detail == "" {
		return text + detail
	}
	return text + "\n\n" + detail
}

// link matches text that SARIF reads as a link.
var link = regexp.MustCompile(`\[([^\]\n]*\]\()`)

// escapeLinks keeps text of policies from becoming links in a report.
func escapeLinks(s string) string { return link.ReplaceAllString(s, `\[$1`) }

func writeReportJSON(v any) (string, error) {
	raw, err := encodeJSON(v, false)
	return string(raw), err
}
