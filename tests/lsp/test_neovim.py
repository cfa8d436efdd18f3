"""Neovim, without a user interface, shows diagnostics, applies a fix and formats a file."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.missing import skip_unless_ci

# Neovim has `vim.lsp.config` since 0.11, and `vim.lsp.start_client` before.
SCRIPT = """
local function fail(text)
  io.stderr:write(text .. '\\n')
  vim.cmd('cquit 1')
end

local function wait(what, condition)
  if not vim.wait(800000, condition, 50) then fail('timeout: ' .. what) end
end

local command = vim.fn.json_decode(vim.env.SERVER_COMMAND)
local buffer = vim.api.nvim_get_current_buf()
if vim.lsp.config then
  vim.lsp.config('canfetch', { cmd = command, filetypes = { 'robots' } })
  vim.lsp.enable('canfetch')
  vim.cmd('doautocmd FileType')
else
  local id = vim.lsp.start_client({ name = 'canfetch', cmd = command, root_dir = vim.fn.getcwd() })
  vim.lsp.buf_attach_client(buffer, id)
end

local result = { filetype = vim.bo.filetype }
wait('diagnostics', function() return #vim.diagnostic.get(buffer) > 0 end)
local function diagnostics()
  return vim.tbl_map(function(one)
    return { line = one.lnum, code = one.code or one.user_data.lsp.code, source = one.source }
  end, vim.diagnostic.get(buffer))
end
result.diagnostics = diagnostics()

local function request(method, parameters)
  local answers = vim.lsp.buf_request_sync(buffer, method, parameters, 80000)
  for _, answer in pairs(answers or {}) do
    if answer.result then return answer.result end
  end
  fail('no answer: ' .. method)
end

local client = (vim.lsp.get_clients or vim.lsp.get_active_clients)()[1]
local document = { uri = vim.uri_from_bufnr(buffer) }
local actions = request('textDocument/codeAction', {
  textDocument = document,
  range = { start = { line = 1, character = 0 }, ['end'] = { line = 1, character = 1 } },
  context = { diagnostics = {}, only = { 'quickfix' } },
})
result.action = actions[1].title
vim.lsp.util.apply_workspace_edit(actions[1].edit, client.offset_encoding)
result.fixed = vim.api.nvim_buf_get_lines(buffer, 0, -1, true)
wait('diagnostics without the fixed one', function()
  return #vim.tbl_filter(function(one) return one.code == 'CF202' end, diagnostics()) == 0
end)

local options = { tabSize = 4, insertSpaces = true }
local edits = request('textDocument/formatting', { textDocument = document, options = options })
vim.lsp.util.apply_text_edits(edits, buffer, client.offset_encoding)
result.formatted = vim.api.nvim_buf_get_lines(buffer, 0, -1, true)

io.stdout:write(vim.fn.json_encode(result))
vim.cmd('qall!')
"""
SERVER = [sys.executable, "-m", "canfetch", "lsp"]


@pytest.mark.service
def test_neovim_shows_diagnostics_applies_a_fix_and_formats(tmp_path: Path) -> None:
    neovim = shutil.which("nvim")
    if neovim is None:
        skip_unless_ci("nvim is not installed: run tools/install_packages.sh services")
    robots = tmp_path / "robots.txt"
    robots.write_text("user-agent: *\nDisalow: /é/\n\n\nUser-agent: GPTBot\nDisallow:/\n", encoding="utf-8")
    script = tmp_path / "script.lua"
    script.write_text(SCRIPT, encoding="utf-8")
    done = subprocess.run(
        [
            neovim,
            "--headless",
            "-u",
            "NONE",
            "-i",
            "NONE",
            "-n",
            "--cmd",
            "filetype on",
            "-c",
            f"luafile {script}",
            str(robots),
        ],
        cwd=tmp_path,
        env={**os.environ, "HOME": str(tmp_path), "SERVER_COMMAND": json.dumps(SERVER)},
        capture_output=True,
        check=False,
        timeout=900,
    )
    assert done.returncode == 0, done.stderr.decode()
    result = json.loads(done.stdout)
    assert result["filetype"] == "robots"
    assert {"line": 1, "code": "CF202", "source": "canfetch"} in result["diagnostics"]
    assert result["action"].startswith("Write the key as it is spelt in RFC 9309 (CF202")
    assert result["fixed"][1] == "Disallow: /é/"
    assert result["formatted"] == [
        "User-agent: *",
        "Disallow: /é/",
        "",
        "User-agent: GPTBot",
        "Disallow: /",
    ]
