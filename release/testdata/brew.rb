# Runs the install of a formula as Homebrew does: FORMULA CELLAR, in the folder of the archive.
require "fileutils"
require "pathname"

FORMULA, CELLAR = ARGV

class Pathname
  def install(*names)
    mkpath
    names.flatten.each { |name| FileUtils.cp(name.to_s, self) }
  end

  def install_symlink(links)
    mkpath
    links.each { |from, to| FileUtils.ln_s(expand_path(CELLAR).join(from).relative_path_from(expand_path(CELLAR)), join(to)) }
  end
end

module OS
  def self.mac? = RUBY_PLATFORM.include?("darwin")
  def self.linux? = !mac?
end

module Hardware
  module CPU
    def self.intel? = RbConfig::CONFIG["host_cpu"] == "x86_64"
    def self.arm? = !intel?
    def self.is_64_bit? = true
  end
end

class Formula
  PLACES = { bin: "bin", man1: "share/man/man1", doc: "share/doc/rung", bash_completion: "etc/bash_completion.d",
             zsh_completion: "share/zsh/site-functions", fish_completion: "share/fish/vendor_completions.d" }.freeze
  PLACES.each { |name, place| define_method(name) { Pathname.new(CELLAR).join(place) } }
  %i[desc homepage version license depends_on url sha256 test].each { |name| define_singleton_method(name) { |*| nil } }
  def self.on_macos = (yield if OS.mac?)
  def self.on_linux = (yield if OS.linux?)
end

load FORMULA
Rung.new.install
