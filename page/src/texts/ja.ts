import type { Catalogue } from "../texts.js";
import { en } from "./en.js";
import { viewsJa } from "./views/ja.js";

export const ja: Catalogue = {
  ...en,
  ...viewsJa,
  // --- the page ---
  page_title: "canfetch: robots.txt をテスト",
  views_label: "ビュー",
  view_access: "アクセス",
  view_usage: "利用",
  view_rules: "ページの規則",
  view_compare: "比較",
  language_label: "言語",
  theme_system: "テーマ: システムに合わせる",
  theme_light: "テーマ: ライト",
  theme_dark: "テーマ: ダーク",
  link_button: "リンクをコピー",
  link_copied: "リンクをコピーしました。ファイルはリンクに含まれ、何も送信されていません。",
  close_button: "閉じる",
  cancel_button: "キャンセル",
  view_failed: "このビューを読み込めませんでした。ページを再読み込みしてください。",
};
