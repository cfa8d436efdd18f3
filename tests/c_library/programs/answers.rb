# Answers conformance cases with the C library. tests/conformance/case_lines.py explains the lines.
#
# usage: ruby answers.rb LIBRARY

require "fiddle/import"

LIBRARY = ARGV.fetch(0)

module Canfetch
  extend Fiddle::Importer
  dlload LIBRARY
  typealias "bool", "unsigned char"
  Verdict = struct [
    "bool allowed", "bool is_allow_rule", "int reason", "unsigned int line", "unsigned int group_line",
    "unsigned int specificity", "char *pattern", "size_t pattern_length",
  ]
  extern "char *canfetch_status_message(int)"
  extern "char *canfetch_reason_name(int)"
  extern "int canfetch_parse_as(char *, size_t, char *, size_t, size_t, void *)"
  extern "void canfetch_close(void *)"
  extern "int canfetch_rules_for_tokens(void *, void *, size_t, int, void *)"
  extern "int canfetch_rules_for_header(void *, char *, size_t, int, void *)"
  extern "void canfetch_rules_close(void *)"
  extern "int canfetch_rules_allows(void *, char *, size_t, void *)"
  extern "int canfetch_rules_decide(void *, char *, size_t, void *)"

  INVALID_URL = 3

  def self.check(status)
    raise canfetch_status_message(status).to_s unless status.zero?
  end

  # Calls the block with a place for a handle, and returns the handle.
  def self.handle
    Fiddle::Pointer.malloc(Fiddle::SIZEOF_VOIDP, Fiddle::RUBY_FREE) do |place|
      check(yield(place))
      return place.ptr
    end
  end
end

def decode(text) = [text].pack("H*")

def rules_for(robots, agents, star)
  Canfetch.handle do |place|
    if agents.start_with?("header ")
      header = decode(agents.delete_prefix("header "))
      next Canfetch.canfetch_rules_for_header(robots, header, header.bytesize, star, place)
    end
    tokens = agents.split(" ").map { |token| decode(token) }
    # An array of CanfetchText.
    texts = tokens.flat_map { |token| [Fiddle::Pointer[token].to_i, token.bytesize] }.pack("J*")
    Canfetch.canfetch_rules_for_tokens(robots, texts, tokens.size, star, place)
  end
end

def decision(rules, url)
  verdict = Canfetch::Verdict.malloc(Fiddle::RUBY_FREE)
  status = Canfetch.canfetch_rules_decide(rules, url, url.bytesize, verdict)
  return "error" if status == Canfetch::INVALID_URL

  Canfetch.check(status)
  allowed = [9].pack("C")
  Canfetch.check(Canfetch.canfetch_rules_allows(rules, url, url.bytesize, allowed))
  raise "two verdicts" unless allowed.unpack1("C") == verdict.allowed

  [verdict.allowed, verdict.line, Canfetch.canfetch_reason_name(verdict.reason).to_s].join("\t")
end

$stdin.each_line(chomp: true) do |line|
  profile, limit, star, agents, content, url = line.split("\t", -1)
  content = decode(content)
  robots = Canfetch.handle do |place|
    Canfetch.canfetch_parse_as(content, content.bytesize, profile, profile.bytesize, limit.to_i, place)
  end
  rules = rules_for(robots, agents, star.to_i)
  puts decision(rules, decode(url))
  Canfetch.canfetch_rules_close(rules)
  Canfetch.canfetch_close(robots)
end
