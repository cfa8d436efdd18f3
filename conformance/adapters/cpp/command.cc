// A command for `python -m conformance --command './command {robots} {agent} {url}'`. Exit code 0 means allowed, 1 means
// disallowed, and any other code means an error. Replace IsAllowed with a call of your library.

#include <fstream>
#include <iostream>
#include <iterator>
#include <string>

// Allows everything, like a program without a parser.
static bool IsAllowed(const std::string& robots, const std::string& agent, const std::string& url) {
  (void)robots, (void)agent, (void)url;
  return true;
}

int main(int argc, char** argv) {
  if (argc != 4) {
    std::cerr << "usage: command ROBOTS AGENT URL\n";
    return 2;
  }
  std::ifstream file(argv[1], std::ios::binary);
  const std::string robots((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  return IsAllowed(robots, argv[2], argv[3]) ? 0 : 1;
}
