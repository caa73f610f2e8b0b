package manifests

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
	"rung/model"
	"rung/model/words"
	"rung/sources/manifests/yamltree"
)

// Default is the default network's key in annotations about networks.
const Default = "default"

// firstFault returns the alphabetically first of the faults as an error, or nil for none.
func firstFault(faults []string) error {
	if len(faults) == 0 {
		return nil
	}
	return errors.New(slices.Min(faults))
}

// podEntry is one network's entry in the annotation k8s.ovn.org/pod-networks.
type podEntry struct {
	IPs  []string `json:"ip_addresses"`
	IP   string   `json:"ip_address"` // written by older releases
	Role string   `json:"role"`
}

// PodNetworks reads the annotation k8s.ovn.org/pod-networks: a JSON object of networks by name. The default
// network comes first, the others by name. The error is about the non-default networks; a network with an
// error has no addresses (networks.md#frozen-sets).
func PodNetworks(annotation string) ([]model.PodNetwork, error) {
	var raw map[string]podEntry
	if err := json.Unmarshal([]byte(annotation), &raw); err != nil {
		return nil, fmt.Errorf("annotation %s: %w", model.AnnotationPodNetworks, err)
	}
	nets := make([]model.PodNetwork, 0, len(raw))
	var wrong []string // one line per network
	for name, e := range raw {
		n := model.PodNetwork{Name: words.CleanText(name), Role: words.CleanText(e.Role)}
		if fault := e.fault(); fault != "" && name != Default {
			wrong = append(wrong, n.Name+": "+fault)
		} else {
			n.IPs = e.addresses()
		}
		nets = append(nets, n)
	}
	slices.SortFunc(nets, func(a, b model.PodNetwork) int {
		return cmp.Or(model.FalseFirst(a.Name != Default, b.Name != Default), strings.Compare(a.Name, b.Name))
	})
	return nets, firstFault(wrong)
}

// fault returns what OVN-Kubernetes cannot read in an entry; empty if nothing.
func (e *podEntry) fault() string {
	if e.IP != "" && len(e.IPs) > 0 && e.IPs[0] != e.IP {
		return fmt.Sprintf("ip_address %s is not the first of ip_addresses, %s", words.CleanText(e.IP), words.CleanText(e.IPs[0]))
	}
	for _, text := range e.texts() {
		if _, err := netip.ParsePrefix(text); err != nil {
			return fmt.Sprintf("%q is not an address with its mask", words.CleanText(text))
		}
	}
	return ""
}

// texts returns the addresses as written.
func (e *podEntry) texts() []string {
	if len(e.IPs) == 0 && e.IP != "" {
		return []string{e.IP}
	}
	return e.IPs
}

// addresses returns the valid addresses, without masks, in canonical text.
func (e *podEntry) addresses() (out []string) {
	for _, text := range e.texts() {
		bare, _, _ := strings.Cut(text, "/")
		out = append(out, canonicalIPs([]string{bare})...)
	}
	return out
}

// selection is an element of the annotation k8s.v1.cni.cncf.io/networks as JSON.
type selection struct {
	Name      string `json:"name"`
	Namespace string `json:"namespace"`
}

// Attachments reads the annotation k8s.v1.cni.cncf.io/networks of a pod in a namespace. Its forms are
// "namespace/name@interface" separated by commas, and a JSON list. It returns the keys of the
// NetworkAttachmentDefinitions, repeated ones with an index (networks.md#pods).
func Attachments(annotation, namespace string) ([]string, error) {
	var all []selection
	if strings.ContainsAny(annotation, `[{"`) {
		if err := json.Unmarshal([]byte(annotation), &all); err != nil {
			return nil, fmt.Errorf("is not a JSON list of networks: %w", err)
		}
	} else {
		for item := range strings.SplitSeq(annotation, ",") {
			if strings.TrimSpace(item) != "" {
				s, err := parseSelection(strings.TrimSpace(item))
				if err != nil {
					return nil, err
				}
				all = append(all, s)
			}
		}
	}
	var out []string
	times := map[string]int{}
	for _, s := range all {
		if s.Name == "" {
			continue
		}
		key := words.CleanText(cmp.Or(s.Namespace, namespace) + "/" + s.Name)
		n := times[key]
		times[key]++
		if n > 0 {
			key += "/" + strconv.Itoa(n)
		}
		out = append(out, key)
	}
	return out, nil
}

// labelText matches lower-case letters, digits and inner hyphens.
var labelText = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]*[a-z0-9])?$`)

// parseSelection reads "namespace/name@interface"; only the name is required.
func parseSelection(item string) (s selection, err error) {
	rest, iface, has := strings.Cut(item, "@")
	parts := strings.Split(rest, "/")
	names := parts
	if has {
		names = append(slices.Clip(parts), iface)
	}
	if len(parts) > 2 || strings.Contains(iface, "@") || slices.ContainsFunc(names, func(n string) bool { return !labelText.MatchString(n) }) {
		return s, fmt.Errorf("%q must be name, namespace/name or namespace/name@interface", words.CleanText(item))
	}
	if len(parts) == 2 {
		s.Namespace = parts[0]
	}
	s.Name = parts[len(parts)-1]
	return s, nil
}

// OpenPorts reads the annotation k8s.ovn.org/open-default-ports, a YAML list. It returns the ports as in OVN
// matches: "tcp.dst == 80", "icmp" (networks.md#tier-0).
func OpenPorts(annotation string) ([]string, error) {
	root, err := yamltree.ParseFlat([]byte(annotation), yamltree.DefaultAliasNodes)
	if err != nil {
		return nil, fmt.Errorf("is not YAML: %s", words.CleanText(err.Error()))
	}
	if root == nil || yamltree.IsNull(root) {
		return nil, nil
	}
	if root.Kind != yaml.SequenceNode {
		return nil, fmt.Errorf("is not a list of ports")
	}
	var out []string
	for _, n := range root.Content {
		protocol, port := words.CleanText(yamltree.TextAt(n, "protocol")), yamltree.TextAt(n, "port")
		switch protocol {
		case "icmp":
			if port != "" {
				return nil, fmt.Errorf("icmp has no port, but %s is given", words.CleanText(port))
			}
			out = append(out, protocol)
		case "tcp", "udp", "sctp":
			at, err := strconv.ParseUint(port, 10, 16)
			if err != nil {
				return nil, fmt.Errorf("%s needs a port from 0 to 65535, not %q", protocol, words.CleanText(port))
			}
			out = append(out, fmt.Sprintf("%s.dst == %d", protocol, at))
		default:
			return nil, fmt.Errorf("protocol %q must be tcp, udp, sctp or icmp", protocol)
		}
	}
	return out, nil
}

// NodeSubnets reads the annotation k8s.ovn.org/node-subnets, a JSON object with one subnet or a list for each
// network. own are the default network's subnets, others the other networks' by name, or nil. An error about
// another network omits only that network.
func NodeSubnets(annotation string) (own []string, others map[string][]string, err error) {
	var networks map[string]json.RawMessage
	if err := json.Unmarshal([]byte(annotation), &networks); err != nil {
		return nil, nil, fmt.Errorf("is not a JSON object of networks: %w", err)
	}
	if own, err = parseNodeSubnets(networks[Default], "the default network"); err != nil {
		return nil, nil, err
	}
	delete(networks, Default)
	var wrong []string
	for name, raw := range networks {
		name = words.CleanText(name)
		subnets, err := parseNodeSubnets(raw, "network "+name)
		if err != nil {
			wrong = append(wrong, err.Error())
			continue
		}
		if others == nil {
			others = map[string][]string{}
		}
		others[name] = subnets
	}
	return own, others, firstFault(wrong)
}

// parseNodeSubnets returns the masked subnets of one network.
func parseNodeSubnets(raw json.RawMessage, of string) ([]string, error) {
	if raw == nil {
		return nil, nil
	}
	var subnets []string
	if err := json.Unmarshal(raw, &subnets); err != nil {
		var one string
		if json.Unmarshal(raw, &one) != nil {
			return nil, fmt.Errorf("subnets of %s: %w", of, err)
		}
		subnets = []string{one}
	}
	for i, s := range subnets {
		p, err := netip.ParsePrefix(s)
		if err != nil {
			return nil, fmt.Errorf("subnet of %s: %w", of, err)
		}
		subnets[i] = p.Masked().String()
	}
	return subnets, nil
}
