// Package findings shows faults and dangers in policies and between zones.
package findings
